-- release
-- Append members to lists, each once. A place is a time that only increases, and a member takes as many places as it
-- has records; the last of these is its score. KEYS: last place, the lists, the first of which contains all members.
-- ARGV: for each member: the member, its number of records.
for at = 1, #ARGV, 2 do
  if not redis.call('ZSCORE', KEYS[2], ARGV[at]) then
    local time = redis.call('TIME')
    local last = tonumber(redis.call('GET', KEYS[1]) or '0')
    local place = math.max(time[1] * 1000000 + time[2], last) + tonumber(ARGV[at + 1])
    local text = string.format('%.0f', place)
    redis.call('SET', KEYS[1], text)
    for list = 2, #KEYS do redis.call('ZADD', KEYS[list], text, ARGV[at]) end
  end
end
return 1
