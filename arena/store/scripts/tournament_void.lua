-- tournament_void
-- Void an attempt of a group because of a server fault. Returns the group's number of void attempts. KEYS: tournament.
-- ARGV: group, number of earlier voids, the published void, number of voids that stop the group, the result of a
-- stopped group, and, if the attempt ended its worker, a line about that.
local event = KEYS[1]
local voided = redis.call('HGET', event .. ':voided', ARGV[1]) or '0'
if voided ~= ARGV[2] or redis.call('HEXISTS', event .. ':results', ARGV[1]) == 1 then return tonumber(voided) end
-- The group is in a chunk.
if redis.call('HEXISTS', event .. ':groups', ARGV[1]) == 0 then return tonumber(voided) end
local count = redis.call('HINCRBY', event .. ':voided', ARGV[1], 1)
redis.call('RPUSH', event .. ':voids', ARGV[3])
redis.call('HINCRBY', event, 'n', 1)
redis.call('HDEL', event .. ':parts', ARGV[1])
if ARGV[6] then
  local ended = redis.call('HGET', event .. ':ended', ARGV[1]) or ''
  redis.call('HSET', event .. ':ended', ARGV[1], ended .. ARGV[6])
end
if count >= tonumber(ARGV[4]) then
  redis.call('HSETNX', event .. ':results', ARGV[1], ARGV[5])
  redis.call('ZREM', event .. ':due', ARGV[1])
  redis.call('ZREM', event .. ':remote', ARGV[1])
end
return count
