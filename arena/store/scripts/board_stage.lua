-- board_stage
-- Store some of what a publication consists of, until it happens or expires. KEYS: hash. ARGV: for how many
-- milliseconds, then fields and values in turn.
for at = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
