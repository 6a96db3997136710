-- Return the server's clock and the outages of the service: the current time (microseconds), the time of the last beat,
-- and the sum of all outages (both in milliseconds). KEYS: clock. ARGV: '1' if this call is a beat, the shortest gap
-- between beats (milliseconds) that counts as an outage, and for how long the calling process was suspended until now
-- (milliseconds). Time in which several processes were suspended is counted once.
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local clock = redis.call('HMGET', KEYS[1], 'at', 'outage', 'counted')
local last = tonumber(clock[1] or now_ms)
local outage = tonumber(clock[2] or '0')
local counted = tonumber(clock[3] or '0')
if ARGV[1] == '1' then
  local since = now_ms - tonumber(ARGV[3])
  if now_ms - last > tonumber(ARGV[2]) then since = last end
  if since < now_ms then
    outage = outage + math.max(0, now_ms - math.max(since, counted))
    redis.call('HSET', KEYS[1], 'counted', string.format('%.0f', now_ms))
  end
  last = math.max(last, now_ms)
  redis.call('HSET', KEYS[1], 'at', string.format('%.0f', last), 'outage', string.format('%.0f', outage))
end
return {time[1] * 1000000 + time[2], last, outage}
