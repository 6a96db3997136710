-- tournament_final
-- Store a tournament's final standings apart from its meta: 1 if it has the version expected.
-- KEYS: tournament. ARGV: version expected, the meta without them, they.
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'v', tonumber(ARGV[1]) + 1, 'm', ARGV[2], 'final', ARGV[3])
return 1
