-- upload_settle
-- End the checks of an upload: make it a version, or refuse it and delete its source. A bot without a version is
-- deleted with its last upload. KEYS: the bot, its versions, its sources, its uploads, the outcome. ARGV: an object
-- with upload (its id), before (its row as read), after (its row as settled), kept_ms (how long the settled row is
-- kept), digest, label, version (empty: refuse the upload) and received_ms (when it was received). Returns done,
-- repeated (the same call was made before), changed (the row is different) or gone; and the numbers of bots, versions
-- and bytes that were deleted.
local bot, versions, sources, uploads, outcome = unpack(KEYS)
local own = cjson.decode(ARGV[1])
local row = redis.call('HGET', uploads, own.upload)
if not row then return {redis.call('GET', outcome) == own.after and 'repeated' or 'gone', 0, 0, 0} end
if row ~= own.before then return {'changed', 0, 0, 0} end
if own.version ~= '' then
  -- The current version is the one that was received or made current last, regardless of the order of the checks.
  local known = redis.call('HMGET', bot, 'version', 'current_ms')
  local current = redis.call('HGET', versions, known[1] or '')
  local since = math.max(current and cjson.decode(current)[3] or 0, tonumber(known[2] or 0))
  if not current or since <= own.received_ms then redis.call('HSET', bot, 'version', own.label) end
  redis.call('HSET', versions, own.label, own.version)
end
redis.call('HDEL', uploads, own.upload)
redis.call('SET', outcome, own.after, 'PX', own.kept_ms)
if own.version ~= '' then return {'done', 0, 0, 0} end
local bots, bytes = 0, redis.call('HSTRLEN', sources, own.digest)
redis.call('HDEL', sources, own.digest)
if redis.call('HLEN', versions) == 0 and redis.call('HLEN', uploads) == 0 then
  bots = 1
  redis.call('DEL', bot, versions, sources, uploads)
end
return {'done', bots, 1, bytes}
