-- Replace the runtime of the service if it is still the expected one. KEYS: the runtime's hash, the file of the
-- expected runtime, the new file as uploaded, its final key. ARGV: the SHA-256 of the expected runtime ('' = none),
-- seconds for which its file is kept, the fields and values of the new runtime (none: no runtime). Returns 1 if it was
-- replaced.
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
