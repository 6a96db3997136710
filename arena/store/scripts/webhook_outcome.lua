-- Record the outcome of a post. KEYS: the webhook's state, the probe, both of one bot. ARGV: '1' = there was
-- a reply, now, the id of the attempt (counted once), the error, number of consecutive failures that open the
-- circuit, for how long it opens the first time (doubled each time) and at most, and the field that holds since
-- when the version is unreachable, with '1' if it is now, '0' if it is not, and '' if this attempt does not
-- show it. Returns until when the circuit is open, 0 if it is closed.
if ARGV[9] == '1' then
  redis.call('HSET', KEYS[1], ARGV[8], ARGV[2])
elseif ARGV[9] == '0' then
  redis.call('HDEL', KEYS[1], ARGV[8])
end
if ARGV[1] == '1' then
  redis.call('HDEL', KEYS[1], 'failures', 'until', 'opened')
  redis.call('HSET', KEYS[1], 'ok_ms', ARGV[2])
  if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'error', ARGV[4], 'error_ms', ARGV[2]) end
  redis.call('DEL', KEYS[2])
  return 0
end
local now, until_ms = tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
if redis.call('HGET', KEYS[1], 'attempt') == ARGV[3] then return until_ms end
redis.call('HSET', KEYS[1], 'attempt', ARGV[3], 'error', ARGV[4], 'error_ms', ARGV[2])
local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
-- Posts that were under way when it opened do not count.
if failures < tonumber(ARGV[5]) or until_ms > now then return until_ms end
local opened = redis.call('HINCRBY', KEYS[1], 'opened', 1)
until_ms = now + math.min(tonumber(ARGV[6]) * 2 ^ math.min(opened - 1, 30), tonumber(ARGV[7]))
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', until_ms))
redis.call('DEL', KEYS[2])
return until_ms
