-- replace
-- Set a field of a hash if it has the expected value ('' = missing). KEYS: hash. ARGV: field, expected value, new value
-- ('' = remove the field). Returns 1 if the field was set.
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1
