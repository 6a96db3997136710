-- board_publish
-- Publish a board atomically, unless another process was faster: 1 if it was published.
-- KEYS: board. ARGV: place expected ('' = none), day, point of that day, then field, value, ...
if (redis.call('HGET', KEYS[1], 'place') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('HSET', KEYS[1] .. ':days', ARGV[2], ARGV[3])
return 1
