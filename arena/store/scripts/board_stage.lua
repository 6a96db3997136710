-- board_stage
-- Store part of a publication until it is published or expires. KEYS: hash. ARGV: time to live in milliseconds, then
-- alternating fields and values.
for at = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
