-- Put a tournament into the lists of its state, unless that has been done for a later version of it. KEYS: the versions
-- by tournament, its list, the public ones that are not over by their lock, those of its owner that are not over, then
-- the lists in which it can stand. ARGV: tournament, version, when it was created, its lock if it is public and not
-- over, '1' if it is over.
local event = ARGV[1]
if tonumber(redis.call('HGET', KEYS[1], event) or 0) > tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], event, ARGV[2])
for at = 5, #KEYS do
  if KEYS[at] ~= KEYS[2] then redis.call('ZREM', KEYS[at], event) end
end
redis.call('ZADD', KEYS[2], ARGV[3], event)
if ARGV[4] == '' then redis.call('ZREM', KEYS[3], event) else redis.call('ZADD', KEYS[3], ARGV[4], event) end
if ARGV[5] == '1' then redis.call('ZREM', KEYS[4], event) else redis.call('ZADD', KEYS[4], ARGV[3], event) end
return 1
