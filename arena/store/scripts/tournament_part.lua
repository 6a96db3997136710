-- tournament_part
-- Store the first games of a group that is not over, only for the current attempt. Returns 1 if it did, else 0.
-- KEYS: tournament. ARGV: group, number of earlier voids, the games, how long they are kept.
local event, group = KEYS[1], ARGV[1]
if (redis.call('HGET', event .. ':voided', group) or '0') ~= ARGV[2] then return 0 end
if not redis.call('ZSCORE', event .. ':due', group) then return 0 end
redis.call('HSET', event .. ':parts', group, ARGV[3])
redis.call('PEXPIRE', event .. ':parts', ARGV[4])
return 1
