-- Register a process that writes. KEYS: the hash of the database. ARGV: an id for a database without one (empty: none),
-- the process's format, 1 to accept the database. The format is set if the database is empty or is accepted; an
-- existing format is not changed. Returns the id, whether the database is accepted, whether it is being restored, and
-- its format.
local format = redis.call('HGET', KEYS[1], 'format')
if not format and (ARGV[3] or redis.call('DBSIZE') == 0) then
  format = ARGV[2]
  redis.call('HSET', KEYS[1], 'format', format)
end
if format == ARGV[2] then
  if ARGV[1] ~= '' and redis.call('HEXISTS', KEYS[1], 'restoring') == 0 then
    redis.call('HSETNX', KEYS[1], 'id', ARGV[1])
  end
  if ARGV[3] then
    redis.call('HSET', KEYS[1], 'accepted', ARGV[3])
  end
end
return redis.call('HMGET', KEYS[1], 'id', 'accepted', 'restoring', 'format')
