-- upload_settle
-- End the checks of an upload: make it a version, or refuse it, which frees its source unless the bot has it
-- elsewhere. A bot without a version and without another upload goes with its last one. KEYS: the bot, its
-- versions, its sources, its uploads, the outcome. ARGV: the upload's id, its row as read, its row as settled,
-- how long that is kept (ms), its digest, its label, its version (empty: refuse it), when it was received.
-- Returns done, repeated (the same call was made before), changed (the row is another one), gone, or exists (the
-- label is taken); and the bots, versions and bytes that are gone.
-- A process of an earlier release deletes a bot without its uploads.
if redis.call('HGET', KEYS[1], 'state') == 'deleted' then redis.call('DEL', KEYS[4]) end
local row = redis.call('HGET', KEYS[4], ARGV[1])
if not row then return {redis.call('GET', KEYS[5]) == ARGV[3] and 'repeated' or 'gone', 0, 0, 0} end
if row ~= ARGV[2] then return {'changed', 0, 0, 0} end
if ARGV[7] ~= '' then
  if redis.call('HEXISTS', KEYS[2], ARGV[6]) == 1 then return {'exists', 0, 0, 0} end
  -- The version that was received last, or made the current one last, is it, whichever was checked last.
  local bot = redis.call('HMGET', KEYS[1], 'version', 'current_ms')
  local current = redis.call('HGET', KEYS[2], bot[1] or '')
  local since = math.max(current and cjson.decode(current)[3] or 0, tonumber(bot[2] or 0))
  if not current or since <= tonumber(ARGV[8]) then
    redis.call('HSET', KEYS[1], 'version', ARGV[6])
  end
  redis.call('HSET', KEYS[2], ARGV[6], ARGV[7])
end
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('SET', KEYS[5], ARGV[3], 'PX', ARGV[4])
if ARGV[7] ~= '' then return {'done', 0, 0, 0} end
local used = false
for _, rows in ipairs({redis.call('HVALS', KEYS[2]), redis.call('HVALS', KEYS[4])}) do
  for _, text in ipairs(rows) do used = used or string.find(text, ARGV[5], 1, true) ~= nil end
end
local bots, bytes = 0, 0
if not used then
  bytes = redis.call('HSTRLEN', KEYS[3], ARGV[5])
  redis.call('HDEL', KEYS[3], ARGV[5])
end
if redis.call('HLEN', KEYS[2]) == 0 and redis.call('HLEN', KEYS[4]) == 0 then
  bots = 1
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
end
return {'done', bots, 1, bytes}
