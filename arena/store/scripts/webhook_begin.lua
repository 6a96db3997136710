-- Take the lease of a turn to be posted. KEYS: the webhook's state, the turn's lease, the probe, all of one bot. ARGV:
-- now, duration of the lease, holder. Returns go, done (the turn needs no post), leased (another driver is posting it)
-- or open (the circuit is open), each with the milliseconds after which to try again. Can be repeated.
local known = redis.call('GET', KEYS[2])
if known == 'done' then return {'done', 0} end
if known and known ~= ARGV[3] then return {'leased', redis.call('PTTL', KEYS[2])} end
local until_ms = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
if until_ms > tonumber(ARGV[1]) then return {'open', until_ms - tonumber(ARGV[1])} end
if until_ms > 0 then
  -- Half-open: one post at a time.
  local prober = redis.call('GET', KEYS[3])
  if prober and prober ~= ARGV[3] then return {'open', redis.call('PTTL', KEYS[3])} end
  redis.call('SET', KEYS[3], ARGV[3], 'PX', ARGV[2])
end
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[2])
return {'go', 0}
