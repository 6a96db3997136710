-- list_chunk
-- Move games of a list into chunks: 1 if the chunks have not changed since they were read.
-- KEYS: list, its chunks, number of games in them. ARGV: that number as it was read, the chunk to replace
-- ('' = none), number of games that are new in chunks, number of chunks to add, per chunk its lowest score and
-- the chunk; then the games to remove from the list.
if (redis.call('GET', KEYS[3]) or '0') ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' and redis.call('ZREM', KEYS[2], ARGV[2]) == 0 then return 0 end
local first = 5 + 2 * tonumber(ARGV[4])
for at = 5, first - 1, 2 do redis.call('ZADD', KEYS[2], ARGV[at], ARGV[at + 1]) end
redis.call('INCRBY', KEYS[3], ARGV[3])
for at = first, #ARGV do redis.call('ZREM', KEYS[1], ARGV[at]) end
return 1
