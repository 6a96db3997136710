-- bot_delete
-- Delete a bot with its turns, except for its name, which stays taken, and the given fields. KEYS: the bot (see
-- turns.lua), its versions, its sources, its uploads. ARGV: the names of the fields to keep. Returns 1, or 0 if the bot
-- was deleted before, and the number of versions and uploads and the bytes of sources that were deleted.
local name, state = unpack(redis.call('HMGET', KEYS[1], 'name', 'state'))
if not name then return {0, 0, 0} end
local row = {'name', name, 'state', 'deleted'}
for _, field in ipairs(ARGV) do
  local value = redis.call('HGET', KEYS[1], field)
  if value then
    table.insert(row, field)
    table.insert(row, value)
  end
end
local bytes = 0
for _, digest in ipairs(redis.call('HKEYS', KEYS[3])) do
  bytes = bytes + redis.call('HSTRLEN', KEYS[3], digest)
end
local versions = redis.call('HLEN', KEYS[2]) + redis.call('HLEN', KEYS[4])
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[1] .. ':turns', KEYS[1] .. ':rights')
redis.call('HSET', KEYS[1], unpack(row))
return {state == 'deleted' and 0 or 1, versions, bytes}
