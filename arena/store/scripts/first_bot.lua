-- Record which bot uses the room for first bots of an address. KEYS: the row. ARGV: the bot (empty: none), another bot
-- that no longer uses the room (empty: none), milliseconds for which the row is kept. Returns the bot that uses the
-- room, and the milliseconds since it was recorded.
local mine, stale, kept = ARGV[1], ARGV[2], tonumber(ARGV[3])
local known = redis.call('GET', KEYS[1])
if known and known ~= stale then return {known, kept - redis.call('PTTL', KEYS[1])} end
if mine == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], mine, 'PX', kept)
end
return {mine, 0}
