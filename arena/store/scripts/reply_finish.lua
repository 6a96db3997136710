-- Store the response to a request with an idempotency key, if its lease has not ended. KEYS: its row, the bytes of the
-- owner's responses by hour. ARGV: the lease, the response, its size in bytes. Returns 1 if it was stored.
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'lease')
redis.call('HSET', KEYS[1], 'reply', ARGV[2])
redis.call('EXPIRE', KEYS[1], KEPT_HOURS * 3600)
add_bytes(KEYS[2], ARGV[3])
return 1
