-- Create a bot with its first version unless its name is or was in use. KEYS: the bot, its versions.
-- ARGV: its token's hash, label, version, then field, value, ... Returns 1 if it is created, also if the
-- same call is repeated.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'token') == ARGV[1] and 1 or 0
end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'version', ARGV[2], unpack(ARGV, 4))
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return 1
