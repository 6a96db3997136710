-- upload_claim
-- Claim a due upload for one worker; it is due again when the lease ends. KEYS: due-list. ARGV: upload, now, end of the
-- lease. Returns 1 if it was claimed.
local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not due or tonumber(due) > tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1
