-- Forget a request with an idempotency key that had no effect. KEYS: its row. ARGV: the lease.
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
