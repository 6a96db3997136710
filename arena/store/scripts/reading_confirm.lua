-- Record that a bot has read the reply that contained a turn. KEYS: the bot's readings (see reading_offer.lua). ARGV:
-- the turn, its place. The other places in that reply are removed, because their games are over.
local rows = redis.call('HGETALL', KEYS[1])
for i = 1, #rows, 2 do
  local number, turn = string.match(rows[i + 1], '^%d+ (%d+) (%S*)')
  if turn == ARGV[1] then
    if rows[i] == ARGV[2] then
      redis.call('HSET', KEYS[1], rows[i], number .. ' ' .. number .. ' ')
    else
      redis.call('HDEL', KEYS[1], rows[i])
    end
  end
end
return 1
