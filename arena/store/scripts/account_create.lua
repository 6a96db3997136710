-- Create an account unless its name is or was in use. KEYS: the account. ARGV: its token's hash, then
-- field, value, ... Returns 1 if it is created, also if the same call is repeated.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'token') == ARGV[1] and 1 or 0
end
redis.call('HSET', KEYS[1], 'token', unpack(ARGV))
return 1
