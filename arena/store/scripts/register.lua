-- Registers a process that writes. KEYS: the hash of the database.
-- ARGV: an id for a database without one (empty: none), the process's format, 1 if the database is accepted.
-- Returns the id, whether it is accepted, and whether it is being restored.
if ARGV[1] ~= '' and redis.call('HEXISTS', KEYS[1], 'restoring') == 0 then
  redis.call('HSETNX', KEYS[1], 'id', ARGV[1])
end
if tonumber(redis.call('HGET', KEYS[1], 'format') or '0') < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'format', ARGV[2])
end
if ARGV[3] then
  redis.call('HSET', KEYS[1], 'accepted', ARGV[3])
end
return redis.call('HMGET', KEYS[1], 'id', 'accepted', 'restoring')
