-- Return the pending turns of a bot after a cursor: for each, the member, its sequence number and the game version.
-- KEYS: the bot (see turns.lua). ARGV: cursor, maximum number of turns and of rights, '1' = include rights.
local found = {}
local function collect(key)
  local pairs_ = redis.call('ZRANGEBYSCORE', key, '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
  for i = 1, #pairs_, 2 do
    found[#found + 1] = pairs_[i]
    found[#found + 1] = pairs_[i + 1]
    found[#found + 1] = string.sub(redis.call('HGET', KEYS[1], pairs_[i]) or '-0', 2)
  end
end
collect(KEYS[1] .. ':turns')
if ARGV[3] == '1' then collect(KEYS[1] .. ':rights') end
return found
