-- tournament_result
-- Store results of groups, each once and only for the current attempt. Returns the number of new results, of groups
-- with a result, and of planned groups. KEYS: tournament. ARGV: now, how long the pace is kept, and for each group: id,
-- number of earlier voids, number of games, result, records ('' = stored with the games), which stay unchanged if they
-- are already stored.
local event, now, kept = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local new = 0
for at = 3, #ARGV, 5 do
  local group = ARGV[at]
  if (redis.call('HGET', event .. ':voided', group) or '0') == ARGV[at + 1] then
    -- A group that is in a chunk has its result there.
    local planned = redis.call('HEXISTS', event .. ':groups', group) == 1
    if planned and redis.call('HSETNX', event .. ':results', group, ARGV[at + 3]) == 1 then
      if ARGV[at + 4] ~= '' then redis.call('HSETNX', event .. ':records', group, ARGV[at + 4]) end
      redis.call('SADD', event .. ':unreleased', group)
      redis.call('HINCRBY', event, 'games', ARGV[at + 2])
      new = new + 1
    end
    redis.call('ZREM', event .. ':due', group)
    redis.call('ZREM', event .. ':remote', group)
    redis.call('HDEL', event .. ':parts', group)
  end
end
if new > 0 then
  redis.call('HINCRBY', event, 'n', 1)
  local pace = event .. ':pace'
  for _, second in ipairs(redis.call('HKEYS', pace)) do
    if tonumber(second) * 1000 < now - kept then redis.call('HDEL', pace, second) end
  end
  redis.call('HINCRBY', pace, string.format('%.0f', math.floor(now / 1000)), new)
  redis.call('PEXPIRE', pace, kept)
end
return {new, redis.call('HLEN', event .. ':results'), redis.call('HLEN', event .. ':groups')}
