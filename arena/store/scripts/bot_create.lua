-- bot_create
-- Create a bot with its first version, or with the upload that may become it, unless its name is or was in
-- use: then nothing is stored. KEYS: the bot, its versions, its sources, its uploads. ARGV: its token's hash,
-- label, version, then the upload's id, row, digest and source (all empty for none; without an upload label and
-- version are given, with one they are empty), then field, value, ... Returns 1 if it is created, also if the
-- same call is repeated.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('HGET', KEYS[1], 'token') == ARGV[1] and 1 or 0
end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'version', ARGV[2], unpack(ARGV, 8))
if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], ARGV[2], ARGV[3]) end
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[4], ARGV[4], ARGV[5])
  redis.call('HSET', KEYS[3], ARGV[6], ARGV[7])
end
return 1
