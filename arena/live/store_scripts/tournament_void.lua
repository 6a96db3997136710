-- tournament_void
-- A fault of the service voids an attempt of a group; returns how many attempts are void now.
-- KEYS: tournament. ARGV: group, how often it was void before, the void as published, how many voids
-- stop the group, the result of a stopped group.
local event = KEYS[1]
local voided = redis.call('HGET', event .. ':voided', ARGV[1]) or '0'
if voided ~= ARGV[2] or redis.call('HEXISTS', event .. ':results', ARGV[1]) == 1 then return tonumber(voided) end
local count = redis.call('HINCRBY', event .. ':voided', ARGV[1], 1)
redis.call('RPUSH', event .. ':voids', ARGV[3])
redis.call('HINCRBY', event, 'n', 1)
if count >= tonumber(ARGV[4]) then
  redis.call('HSETNX', event .. ':results', ARGV[1], ARGV[5])
  redis.call('ZREM', event .. ':due', ARGV[1])
  redis.call('ZREM', event .. ':remote', ARGV[1])
end
return count
