-- tournament_replace
-- Replace the result of a group. Returns 1, or 0 if the tournament or its chunks have changed since they were read.
-- KEYS: tournament. ARGV: number of changes, number of groups in chunks, group, result, number of the group's chunk (''
-- = none), the new chunk.
local event = KEYS[1]
if (redis.call('HGET', event, 'n') or '') ~= ARGV[1] then return 0 end
if (redis.call('HGET', event, 'chunked') or '0') ~= ARGV[2] then return 0 end
if ARGV[5] ~= '' then
  redis.call('HSET', event .. ':chunks', ARGV[5], ARGV[6])
else
  redis.call('HSET', event .. ':results', ARGV[3], ARGV[4])
end
redis.call('HINCRBY', event, 'n', 1)
return 1
