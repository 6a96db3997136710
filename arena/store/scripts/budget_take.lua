-- Count what an owner has started today. KEYS: the hash of the day. ARGV: the id of what is started (counted once;
-- empty: counted each time), groups, milliseconds of fuel, the maximum of each, seconds to keep the hash. Fuel that was
-- used is always counted; groups are counted only if enough of them and some fuel are left. Returns taken, or the
-- exhausted budget (groups or fuel), and the amounts used of both.
local groups = tonumber(redis.call('HGET', KEYS[1], 'groups') or '0')
local fuel = tonumber(redis.call('HGET', KEYS[1], 'fuel_ms') or '0')
if ARGV[1] ~= '' then
  if redis.call('HEXISTS', KEYS[1], '=' .. ARGV[1]) == 1 then return {'taken', groups, fuel} end
  if groups + tonumber(ARGV[2]) > tonumber(ARGV[4]) then return {'groups', groups, fuel} end
  if fuel >= tonumber(ARGV[5]) then return {'fuel', groups, fuel} end
  redis.call('HSET', KEYS[1], '=' .. ARGV[1], 1)
end
groups = redis.call('HINCRBY', KEYS[1], 'groups', ARGV[2])
fuel = redis.call('HINCRBY', KEYS[1], 'fuel_ms', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[6])
return {'taken', groups, fuel}
