-- Claim due games for one sweeper; they are due again when the lease ends. KEYS: due-list. ARGV: now, end of the lease,
-- maximum number.
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, game in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], game) end
return due
