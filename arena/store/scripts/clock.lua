-- The server's clock and the outages of the service: now (microseconds), time of the last beat and sum of
-- all outages (milliseconds). KEYS: clock. ARGV: '1' = this is a beat, length of a gap between beats
-- (milliseconds) that counts as an outage.
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local last = tonumber(redis.call('HGET', KEYS[1], 'at') or now_ms)
local outage = tonumber(redis.call('HGET', KEYS[1], 'outage') or '0')
if ARGV[1] == '1' then
  if now_ms - last > tonumber(ARGV[2]) then outage = outage + now_ms - last end
  last = math.max(last, now_ms)
  redis.call('HSET', KEYS[1], 'at', string.format('%.0f', last), 'outage', string.format('%.0f', outage))
end
return {time[1] * 1000000 + time[2], last, outage}
