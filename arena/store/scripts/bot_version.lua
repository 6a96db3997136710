-- bot_version
-- Add a version to a bot and make it the current one, or add an upload that can become a version. Each label can be
-- used only once, by a version or an upload, and bytes that a version or an upload of the bot already has are not added
-- again. A refused call changes nothing. KEYS: the bot, its versions, its sources, its uploads. ARGV: an object with
-- versions (the maximum number of versions and uploads), bytes (the maximum of sources), label, fields (of the bot),
-- and either version or the upload's id, row and digest; then the upload's source. Returns added (also if the same call
-- is repeated), same (the bot already has that upload), exists, full, large or unknown; and the bytes stored or, for
-- large, the bytes that the bot already has.
local bot, versions, sources, uploads = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local new, source = cjson.decode(ARGV[1]), ARGV[2]
local state = redis.call('HMGET', bot, 'name', 'state')
if not state[1] or state[2] == 'deleted' then return {'unknown', 0} end
if new.id then
  if redis.call('HEXISTS', uploads, new.id) == 1 then return {'added', 0} end
  for _, row in ipairs(redis.call('HVALS', versions)) do
    if cjson.decode(row)[8] == new.digest then return {'same', 0} end
  end
  for _, row in ipairs(redis.call('HVALS', uploads)) do
    if cjson.decode(row).digest == new.digest then return {'same', 0} end
  end
end
local known = redis.call('HGET', versions, new.label)
if known then return {known == new.version and 'added' or 'exists', 0} end
for _, row in ipairs(redis.call('HVALS', uploads)) do
  if cjson.decode(row).label == new.label then return {'exists', 0} end
end
if redis.call('HLEN', versions) + redis.call('HLEN', uploads) >= new.versions then return {'full', 0} end
local bytes = 0
if new.digest and redis.call('HEXISTS', sources, new.digest) == 0 then
  local stored = 0
  for _, digest in ipairs(redis.call('HKEYS', sources)) do
    stored = stored + redis.call('HSTRLEN', sources, digest)
  end
  bytes = #source
  if stored + bytes > new.bytes then return {'large', stored} end
  redis.call('HSET', sources, new.digest, source)
end
if new.id then
  redis.call('HSET', uploads, new.id, new.row)
else
  redis.call('HSET', versions, new.label, new.version)
  redis.call('HSET', bot, 'version', new.label)
  for field, value in pairs(new.fields) do redis.call('HSET', bot, field, value) end
end
return {'added', bytes}
