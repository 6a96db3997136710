-- Take an amount from a quota, or return some. KEYS: the usage. ARGV: an object with count_after_ms (milliseconds
-- without a change after which the usage is recounted), is_stored (whether the amount is already stored), change, most
-- and, if it was recounted, counted; each of the last three has bots, versions and bytes. Returns taken, uncounted (call again with the recounted usage) or the name
-- of the first quota that would be exceeded, and the usage. A recount already excludes returned amounts.
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
  if counted then changes[i] = asked.is_stored and 0 or math.max(0, changes[i]) end
  if verdict == 'taken' and changes[i] > 0 and used[i] + changes[i] > asked.most[name] then verdict = name end
end
if verdict == 'taken' then
  for i, name in ipairs(names) do
    used[i] = math.max(0, used[i] + changes[i])
    if changes[i] > 0 and not asked.is_stored then redis.call('HSET', KEYS[1], 'taken_ms', now) end
    redis.call('HSET', KEYS[1], name, string.format('%d', used[i]))
  end
end
return {verdict, used[1], used[2], used[3]}
