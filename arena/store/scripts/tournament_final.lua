-- tournament_final
-- Store a tournament's final standings separately from its meta. Returns 1 if it has the expected version. KEYS:
-- tournament. ARGV: expected version, the meta without the standings, the standings.
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'v', tonumber(ARGV[1]) + 1, 'm', ARGV[2], 'final', ARGV[3])
return 1
