-- upload_settle
-- End the checks of an upload: make it a version, or refuse it, which frees its source. A bot without a version
-- and without another upload goes with its last one. KEYS: the bot, its versions, its sources, its uploads, the outcome. ARGV: the upload's id, its row as read, its row as settled,
-- how long that is kept (ms), its digest, its label, its version (empty: refuse it), when it was received.
-- Returns done, repeated (the same call was made before), changed (the row is another one) or gone; and the bots,
-- versions and bytes that are gone.
local row = redis.call('HGET', KEYS[4], ARGV[1])
if not row then return {redis.call('GET', KEYS[5]) == ARGV[3] and 'repeated' or 'gone', 0, 0, 0} end
if row ~= ARGV[2] then return {'changed', 0, 0, 0} end
if ARGV[7] ~= '' then
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
local bots, bytes = 0, redis.call('HSTRLEN', KEYS[3], ARGV[5])
redis.call('HDEL', KEYS[3], ARGV[5])
if redis.call('HLEN', KEYS[2]) == 0 and redis.call('HLEN', KEYS[4]) == 0 then
  bots = 1
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
end
return {'done', bots, 1, bytes}
