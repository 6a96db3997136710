-- Add a version with its source to a bot and make it the current one; a label is written once. A version that
-- is refused leaves nothing. KEYS: the bot, its versions, its sources. ARGV: maximum number of versions, maximum
-- bytes of sources, label, version, the source's digest (empty for none), the source, then field, value, ... of
-- the bot. Returns added (also if the same call is repeated), exists, full, large or unknown; and the bytes that
-- were stored, or, if large, the bytes that the bot has.
local state = redis.call('HMGET', KEYS[1], 'name', 'state')
if not state[1] or state[2] == 'deleted' then return {'unknown', 0} end
local known = redis.call('HGET', KEYS[2], ARGV[3])
if known then return {known == ARGV[4] and 'added' or 'exists', 0} end
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[1]) then return {'full', 0} end
local bytes = 0
if ARGV[5] ~= '' and redis.call('HEXISTS', KEYS[3], ARGV[5]) == 0 then
  local stored = 0
  for _, digest in ipairs(redis.call('HKEYS', KEYS[3])) do
    stored = stored + redis.call('HSTRLEN', KEYS[3], digest)
  end
  bytes = #ARGV[6]
  if stored + bytes > tonumber(ARGV[2]) then return {'large', stored} end
  redis.call('HSET', KEYS[3], ARGV[5], ARGV[6])
end
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
redis.call('HSET', KEYS[1], 'version', ARGV[3], unpack(ARGV, 7))
return {'added', bytes}
