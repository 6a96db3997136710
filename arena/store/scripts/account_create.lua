-- Create an account unless its name is or was in use. KEYS: the account. ARGV: the hash of its token, then alternating
-- fields and values. Returns 1 if the account is created, including when the same call is repeated.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'token') == ARGV[1] and 1 or 0
end
redis.call('HSET', KEYS[1], 'token', unpack(ARGV))
return 1
