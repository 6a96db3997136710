-- Change an account that exists and is not deleted. KEYS: the account. ARGV: the number of fields to remove, their
-- names, then alternating fields and values. Returns 1 if the account exists.
local state = redis.call('HMGET', KEYS[1], 'name', 'state')
if not state[1] or state[2] == 'deleted' then return 0 end
local removed = tonumber(ARGV[1])
for i = 2, removed + 1 do redis.call('HDEL', KEYS[1], ARGV[i]) end
if #ARGV > removed + 1 then redis.call('HSET', KEYS[1], unpack(ARGV, removed + 2)) end
return 1
