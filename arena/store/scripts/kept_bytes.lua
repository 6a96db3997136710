-- Library that counts bytes stored for a day, by the hour in which they were stored. The hash of bytes by hour is
-- KEYS[1] of the script that follows, or another key that it names.
local KEPT_HOURS = 24

local function this_hour()
  return math.floor(redis.call('TIME')[1] / 3600)
end

local function add_bytes(key, bytes)
  local now = this_hour()
  for _, hour in ipairs(redis.call('HKEYS', key)) do
    if tonumber(hour) < now - KEPT_HOURS then redis.call('HDEL', key, hour) end
  end
  redis.call('HINCRBY', key, now, bytes)
  redis.call('EXPIRE', key, (KEPT_HOURS + 1) * 3600)
end

local function sum_bytes(key)
  local sum, now, pairs = 0, this_hour(), redis.call('HGETALL', key)
  for i = 1, #pairs, 2 do
    if tonumber(pairs[i]) >= now - KEPT_HOURS then sum = sum + tonumber(pairs[i + 1]) end
  end
  return sum
end
