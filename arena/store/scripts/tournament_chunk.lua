-- tournament_chunk
-- Put the next groups of a tournament into a chunk. Returns 1, or 0 if anything has changed since they were read. KEYS:
-- tournament. ARGV: number of groups in chunks, number of changes of the tournament, number of the chunk, the chunk,
-- the number of its groups with a result, its groups, which are the first ones in ':order'.
local event = KEYS[1]
local count = #ARGV - 5
if (redis.call('HGET', event, 'chunked') or '0') ~= ARGV[1] then return 0 end
if (redis.call('HGET', event, 'n') or '0') ~= ARGV[2] then return 0 end
local first = redis.call('LRANGE', event .. ':order', 0, count - 1)
for at = 1, count do
  if first[at] ~= ARGV[at + 5] then return 0 end
end
redis.call('HSET', event .. ':chunks', ARGV[3], ARGV[4])
for at = 6, #ARGV do
  for _, part in ipairs({':groups', ':results', ':voided', ':records'}) do redis.call('HDEL', event .. part, ARGV[at]) end
  redis.call('ZREM', event .. ':due', ARGV[at])
end
redis.call('LTRIM', event .. ':order', count, -1)
redis.call('HINCRBY', event, 'chunked', count)
redis.call('HINCRBY', event, 'chunked_done', ARGV[5])
return 1
