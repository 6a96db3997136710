-- Create a bot with its first version and its source, unless its name is or was in use: then nothing is
-- stored. KEYS: the bot, its versions, its sources. ARGV: its token's hash, label, version, the source's digest
-- (empty for none), the source, then field, value, ... Returns 1 if it is created, also if the same call is
-- repeated.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'token') == ARGV[1] and 1 or 0
end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'version', ARGV[2], unpack(ARGV, 6))
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[3], ARGV[4], ARGV[5]) end
return 1
