-- board_publish
-- Publish a board atomically, unless another process was faster: 1 if it was published.
-- KEYS: board, whose other keys share its hash tag. ARGV: place expected ('' = none), day, what stands for that
--   day on the list of days, number of parts, the points of that day by part ('' = none), then field, value, ...
if (redis.call('HGET', KEYS[1], 'place') or '') ~= ARGV[1] then return 0 end
local parts = tonumber(ARGV[4])
redis.call('HSET', KEYS[1], unpack(ARGV, parts + 5))
local days = KEYS[1] .. ':days'
redis.call('HSET', days, ARGV[2], ARGV[3])
for part = 0, parts - 1 do
  local points = ARGV[part + 5]
  if points == '' then
    redis.call('HDEL', days .. ':' .. part, ARGV[2])
  else
    redis.call('HSET', days .. ':' .. part, ARGV[2], points)
  end
end
return 1
