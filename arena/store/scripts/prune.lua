-- Remove a turn that is no longer pending in its game, unless a newer hint has arrived.
-- KEYS: the bot (see turns.lua). ARGV: member, game version of the outdated hint.
if string.sub(redis.call('HGET', KEYS[1], ARGV[1]) or '-0', 2) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[1] .. ':turns', ARGV[1])
redis.call('ZREM', KEYS[1] .. ':rights', ARGV[1])
redis.call('HDEL', KEYS[1], ARGV[1])
return 1
