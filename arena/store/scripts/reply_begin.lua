-- Begin a request with an idempotency key, unless it has already begun. KEYS: its row. ARGV: the hash of the request,
-- the lease of this attempt, the duration of the lease in milliseconds. Returns begun, other (the key belongs to
-- another request), running (with the milliseconds until its lease ends) or done (with the response).
local row = redis.call('HMGET', KEYS[1], 'request', 'lease', 'reply')
if not row[1] then
  redis.call('HSET', KEYS[1], 'request', ARGV[1], 'lease', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {'begun', 0, ''}
end
if row[1] ~= ARGV[1] then return {'other', 0, ''} end
if row[2] == ARGV[2] then return {'begun', 0, ''} end
if row[2] then return {'running', redis.call('PTTL', KEYS[1]), ''} end
return {'done', 0, row[3]}
