-- bot_version
-- Add a version to a bot and make it the current one, or add an upload that may become a version. A label is
-- taken once, by a version or an upload; what a version or an upload of the bot already holds is not added again.
-- What is refused leaves nothing. KEYS: the bot, its versions, its sources, its uploads. ARGV: maximum number of
-- versions and uploads, maximum bytes of sources, label, version, then the upload's id, row, digest and source (all empty for none; then
-- version is given, else it is empty), then field, value, ... of the bot. Returns added (also if the same call is
-- repeated), same (the bot has that upload), exists, full, large or unknown; and the bytes that were stored, or, if
-- large, the bytes that the bot has.
local state = redis.call('HMGET', KEYS[1], 'name', 'state')
if not state[1] or state[2] == 'deleted' then return {'unknown', 0} end
if ARGV[5] ~= '' then
  if redis.call('HEXISTS', KEYS[4], ARGV[5]) == 1 then return {'added', 0} end
  for _, row in ipairs(redis.call('HVALS', KEYS[2])) do
    if cjson.decode(row)[8] == ARGV[7] then return {'same', 0} end
  end
  for _, row in ipairs(redis.call('HVALS', KEYS[4])) do
    if cjson.decode(row).digest == ARGV[7] then return {'same', 0} end
  end
end
local known = redis.call('HGET', KEYS[2], ARGV[3])
if known then return {known == ARGV[4] and 'added' or 'exists', 0} end
for _, row in ipairs(redis.call('HVALS', KEYS[4])) do
  if cjson.decode(row).label == ARGV[3] then return {'exists', 0} end
end
if redis.call('HLEN', KEYS[2]) + redis.call('HLEN', KEYS[4]) >= tonumber(ARGV[1]) then return {'full', 0} end
local bytes = 0
if ARGV[7] ~= '' and redis.call('HEXISTS', KEYS[3], ARGV[7]) == 0 then
  local stored = 0
  for _, digest in ipairs(redis.call('HKEYS', KEYS[3])) do
    stored = stored + redis.call('HSTRLEN', KEYS[3], digest)
  end
  bytes = #ARGV[8]
  if stored + bytes > tonumber(ARGV[2]) then return {'large', stored} end
  redis.call('HSET', KEYS[3], ARGV[7], ARGV[8])
end
if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[4], ARGV[5], ARGV[6])
else
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
  redis.call('HSET', KEYS[1], 'version', ARGV[3], unpack(ARGV, 9))
end
return {'added', bytes}
