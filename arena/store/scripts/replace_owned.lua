-- Set a field of a hash, which belongs to an owner, if it has the expected value ('' = missing). KEYS: hash, the bytes
-- of its values by owner. ARGV: field, expected value, new value ('' = remove the field), owner, by how many bytes the
-- values of the owner grow. Returns 1 if the field was set.
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
if redis.call('HINCRBY', KEYS[2], ARGV[4], ARGV[5]) <= 0 then redis.call('HDEL', KEYS[2], ARGV[4]) end
return 1
