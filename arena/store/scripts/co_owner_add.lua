-- Make an invited owner a co-owner of a bot. KEYS: the bot. ARGV: the fields of the invitation and of the co-owner, the
-- time. Returns 1, or 0 if the bot is deleted or the owner is not invited.
if redis.call('HGET', KEYS[1], 'state') == 'deleted' then return 0 end
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
