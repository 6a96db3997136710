-- Replace the token of an account with the value of its recovery code, which ends both. KEYS: the account. ARGV: that
-- value, and the hash of the new token. Returns 1, or 0 if the account has another recovery code or none.
if redis.call('HGET', KEYS[1], 'recovery') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'recovery')
redis.call('HSET', KEYS[1], 'token', ARGV[2])
return 1
