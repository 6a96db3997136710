-- Take room from a quota, or give some back. KEYS: what is used of it. ARGV: an object with count_after_ms
-- (milliseconds without a take after which the use is counted anew), and, each of bots, versions and bytes, change,
-- most and, if it was counted, counted. Returns taken, uncounted (call again with the counted use) or the name of
-- the first quota that is too small, and the use. A new count already knows of what is given back.
local names = {'bots', 'versions', 'bytes'}
local asked = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local counted = false
local taken_ms = redis.call('HGET', KEYS[1], 'taken_ms')
if not taken_ms or now - taken_ms >= asked.count_after_ms then
  if not asked.counted then return {'uncounted', 0, 0, 0} end
  counted = true
  redis.call('HSET', KEYS[1], 'taken_ms', now)
  for _, name in ipairs(names) do redis.call('HSET', KEYS[1], name, asked.counted[name]) end
end
local used, changes, verdict = {}, {}, 'taken'
for i, name in ipairs(names) do
  used[i] = tonumber(redis.call('HGET', KEYS[1], name))
  changes[i] = asked.change[name]
  if counted then changes[i] = math.max(0, changes[i]) end
  if verdict == 'taken' and changes[i] > 0 and used[i] + changes[i] > asked.most[name] then verdict = name end
end
if verdict == 'taken' then
  for i, name in ipairs(names) do
    used[i] = math.max(0, used[i] + changes[i])
    if changes[i] > 0 then redis.call('HSET', KEYS[1], 'taken_ms', now) end
    redis.call('HSET', KEYS[1], name, string.format('%d', used[i]))
  end
end
return {verdict, used[1], used[2], used[3]}
