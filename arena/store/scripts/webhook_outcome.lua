-- Record the outcome of a post. KEYS: the webhook's state, the probe, both of one bot. ARGV: an object with replied,
-- now_ms, attempt (its id, counted once), error, failures (how many consecutive failures open the circuit), first_ms
-- and longest_ms (the minimum and maximum time that it stays open; the time doubles each time), unreachable (the field
-- that stores since when the version has been unreachable), and connected (null if this attempt does not show it).
-- Returns when the open circuit ends, or 0 if it is closed.
local post = cjson.decode(ARGV[1])
if post.connected == false then
  redis.call('HSET', KEYS[1], post.unreachable, post.now_ms)
elseif post.connected == true then
  redis.call('HDEL', KEYS[1], post.unreachable)
end
if post.replied then
  redis.call('HDEL', KEYS[1], 'failures', 'until', 'opened')
  redis.call('HSET', KEYS[1], 'ok_ms', post.now_ms)
  if post.error ~= '' then redis.call('HSET', KEYS[1], 'error', post.error, 'error_ms', post.now_ms) end
  redis.call('DEL', KEYS[2])
  return 0
end
local until_ms = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
if redis.call('HGET', KEYS[1], 'attempt') == post.attempt then return until_ms end
redis.call('HSET', KEYS[1], 'attempt', post.attempt, 'error', post.error, 'error_ms', post.now_ms)
local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
-- Posts that were in progress when the circuit opened do not count.
if failures < post.failures or until_ms > post.now_ms then return until_ms end
local opened = redis.call('HINCRBY', KEYS[1], 'opened', 1)
until_ms = post.now_ms + math.min(post.first_ms * 2 ^ math.min(opened - 1, 30), post.longest_ms)
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', until_ms))
redis.call('DEL', KEYS[2])
return until_ms
