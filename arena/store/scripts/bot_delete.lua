-- Delete a bot except for its name, which stays taken. KEYS: the bot, its versions.
-- Returns 1 if the bot exists or existed.
local name = redis.call('HGET', KEYS[1], 'name')
if not name then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'name', name, 'state', 'deleted')
return 1
