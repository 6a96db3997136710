-- Add a version to a bot and make it the current one; a label is written once. KEYS: the bot, its
-- versions. ARGV: maximum number of versions, label, version. Returns added (also if the same call is
-- repeated), exists, full or unknown.
local state = redis.call('HMGET', KEYS[1], 'name', 'state')
if not state[1] or state[2] == 'deleted' then return 'unknown' end
local known = redis.call('HGET', KEYS[2], ARGV[2])
if known then return known == ARGV[3] and 'added' or 'exists' end
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[1]) then return 'full' end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('HSET', KEYS[1], 'version', ARGV[2])
return 'added'
