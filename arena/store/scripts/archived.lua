-- archived
-- Take a segment that was written into the directory, and its records off their list: 1, or 0 if the end of the
-- collection is another one, because somebody else has done it.
-- KEYS: the directory, its ends, the last place, and the list, if there is one. ARGV: collection, the offset at
-- which the segment begins and that at which it ends, the numbers of its first record and of the newest one; the keys.
local ends, name = KEYS[2], ARGV[1]
if (redis.call('HGET', ends, name) or '0') ~= ARGV[2] then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[4] .. ':' .. ARGV[5] .. ':' .. ARGV[2])
redis.call('HSET', ends, name, ARGV[3])
if KEYS[4] then
  if tonumber(redis.call('GET', KEYS[3]) or '0') < tonumber(ARGV[5]) then redis.call('SET', KEYS[3], ARGV[5]) end
  for at = 6, #ARGV do redis.call('ZREM', KEYS[4], ARGV[at]) end
end
return 1
