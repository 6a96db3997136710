-- Change the runtime of the service if it is still the expected one.
-- KEYS: the runtime's hash, the file of the expected one, the new file as uploaded, its place.
-- ARGV: the SHA-256 of the expected one ('' = none), seconds that its file is kept, the new one's fields and
-- values (none: no runtime). Returns 1 if it was changed.
if (redis.call('HGET', KEYS[1], 'sha256') or '') ~= ARGV[1] then
  if #ARGV > 2 then redis.call('DEL', KEYS[3]) end
  return 0
end
redis.call('EXPIRE', KEYS[2], ARGV[2])
redis.call('DEL', KEYS[1])
if #ARGV > 2 then
  redis.call('HSET', KEYS[1], unpack(ARGV, 3))
  redis.call('RENAME', KEYS[3], KEYS[4])
  redis.call('PERSIST', KEYS[4])
end
return 1
