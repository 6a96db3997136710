-- Count what an owner has started today. KEYS: the hash of the day. ARGV: the id of what is started (counted once;
-- empty: counted each time), groups, milliseconds of processor time, the maximum of each, seconds to keep the hash.
-- Time that was used is always counted; groups are counted only if enough of them and some time are left. Returns
-- taken, or the exhausted budget (groups or fuel_ms, which is the time), and the amounts used of both.
local groups = tonumber(redis.call('HGET', KEYS[1], 'groups') or '0')
local time_ms = tonumber(redis.call('HGET', KEYS[1], 'fuel_ms') or '0')
if ARGV[1] ~= '' then
  if redis.call('HEXISTS', KEYS[1], '=' .. ARGV[1]) == 1 then return {'taken', groups, time_ms} end
  if groups + tonumber(ARGV[2]) > tonumber(ARGV[4]) then return {'groups', groups, time_ms} end
  if time_ms >= tonumber(ARGV[5]) then return {'fuel_ms', groups, time_ms} end
  redis.call('HSET', KEYS[1], '=' .. ARGV[1], 1)
end
groups = redis.call('HINCRBY', KEYS[1], 'groups', ARGV[2])
time_ms = redis.call('HINCRBY', KEYS[1], 'fuel_ms', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[6])
return {'taken', groups, time_ms}
