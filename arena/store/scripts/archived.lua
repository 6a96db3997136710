-- archived
-- Add a segment that was written to the directory, and remove its records from their list. Returns 1, or 0 if the end
-- of the collection has changed because another process has already added a segment.
-- KEYS: the directory, its ends, the last place and, if there is one, the list. ARGV: collection, the start and end
-- offsets of the segment, the numbers of its first and its newest record; then the keys of the records.
local ends, name = KEYS[2], ARGV[1]
if (redis.call('HGET', ends, name) or '0') ~= ARGV[2] then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[4] .. ':' .. ARGV[5] .. ':' .. ARGV[2])
redis.call('HSET', ends, name, ARGV[3])
if KEYS[4] then
  if tonumber(redis.call('GET', KEYS[3]) or '0') < tonumber(ARGV[5]) then redis.call('SET', KEYS[3], ARGV[5]) end
  for at = 6, #ARGV do redis.call('ZREM', KEYS[4], ARGV[at]) end
end
return 1
