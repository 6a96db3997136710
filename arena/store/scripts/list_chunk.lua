-- list_chunk
-- Move games of a list into chunks. Returns 1, or 0 if the chunks have changed since they were read. KEYS: list, its
-- chunks, number of games in them. ARGV: that number when it was read, the chunk to replace ('' = none), the number of
-- games added to chunks, the number of chunks to add, and for each chunk its lowest score and the chunk itself; then
-- the games to remove from the list.
if (redis.call('GET', KEYS[3]) or '0') ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' and redis.call('ZREM', KEYS[2], ARGV[2]) == 0 then return 0 end
local first = 5 + 2 * tonumber(ARGV[4])
for at = 5, first - 1, 2 do redis.call('ZADD', KEYS[2], ARGV[at], ARGV[at + 1]) end
redis.call('INCRBY', KEYS[3], ARGV[3])
for at = first, #ARGV do redis.call('ZREM', KEYS[1], ARGV[at]) end
return 1
