-- publish
-- Add a record to the list of records waiting for the archive, unless it is already there; its place is a time that
-- only increases. KEYS: the list, the last place and, optionally, a list whose records are not added. ARGV: the
-- record's key.
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
if KEYS[3] and redis.call('ZSCORE', KEYS[3], ARGV[1]) then return 0 end
local time = redis.call('TIME')
local place = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', KEYS[2]) or '0') + 1)
local text = string.format('%.0f', place)
redis.call('SET', KEYS[2], text)
redis.call('ZADD', KEYS[1], text, ARGV[1])
return 1
