-- list_trim
-- Remove the chunks of a list whose scores are all below a limit, that is, those before the chunk that contains it.
-- KEYS: chunks, number of games in them. ARGV: the limit. A chunk begins with the number of its games, in 4 bytes.
local own = redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[1], '-inf', 'WITHSCORES', 'LIMIT', 0, 1)
if not own[2] then return 0 end
local older = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. own[2])
for _, chunk in ipairs(older) do
  local a, b, c, d = string.byte(chunk, 1, 4)
  redis.call('DECRBY', KEYS[2], ((a * 256 + b) * 256 + c) * 256 + d)
  redis.call('ZREM', KEYS[1], chunk)
end
return #older
