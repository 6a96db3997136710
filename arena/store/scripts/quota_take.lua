-- Take room from a quota, or give some back. KEYS: what is used of it. ARGV: milliseconds without a take after
-- which the use is counted anew, then the change, the maximum and, if counted, the use, each of bots, versions
-- and bytes. Returns taken, uncounted (call again with the counted use) or the name of the first quota that is
-- too small, and the use. A new count already knows of what is given back.
local names = {'bots', 'versions', 'bytes'}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local counted = false
local taken_ms = redis.call('HGET', KEYS[1], 'taken_ms')
if not taken_ms or now - taken_ms >= tonumber(ARGV[1]) then
  if not ARGV[8] then return {'uncounted', 0, 0, 0} end
  counted = true
  redis.call('HSET', KEYS[1], 'taken_ms', now)
  for i, name in ipairs(names) do redis.call('HSET', KEYS[1], name, ARGV[7 + i]) end
end
local used, changes, verdict = {}, {}, 'taken'
for i, name in ipairs(names) do
  used[i] = tonumber(redis.call('HGET', KEYS[1], name))
  changes[i] = tonumber(ARGV[1 + i])
  if counted then changes[i] = math.max(0, changes[i]) end
  if verdict == 'taken' and changes[i] > 0 and used[i] + changes[i] > tonumber(ARGV[4 + i]) then
    verdict = name
  end
end
if verdict == 'taken' then
  for i, name in ipairs(names) do
    used[i] = math.max(0, used[i] + changes[i])
    if changes[i] > 0 then redis.call('HSET', KEYS[1], 'taken_ms', now) end
    redis.call('HSET', KEYS[1], name, string.format('%d', used[i]))
  end
end
return {verdict, used[1], used[2], used[3]}
