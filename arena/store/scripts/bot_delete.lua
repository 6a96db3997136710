-- bot_delete
-- Delete a bot except for its name, which stays taken. KEYS: the bot, its versions, its sources, its uploads.
-- Returns 1 if the bot exists or existed, and the versions with the uploads and the bytes of sources that are
-- gone.
local name = redis.call('HGET', KEYS[1], 'name')
if not name then return {0, 0, 0} end
local bytes = 0
for _, digest in ipairs(redis.call('HKEYS', KEYS[3])) do
  bytes = bytes + redis.call('HSTRLEN', KEYS[3], digest)
end
local versions = redis.call('HLEN', KEYS[2]) + redis.call('HLEN', KEYS[4])
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
redis.call('HSET', KEYS[1], 'name', name, 'state', 'deleted')
return {1, versions, bytes}
