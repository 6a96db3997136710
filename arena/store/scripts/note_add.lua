-- Store notes of a bot on its moves in one game; the first note on a move is kept. KEYS: the bytes of the bot's notes
-- by game, the notes of the game. ARGV: the game, milliseconds for which notes are kept, the maximum bytes per bot, the
-- maximum per game, the bytes of a note besides its text; then for each note the number of actions before the move, and
-- the text. Returns the games whose notes the caller must delete: expired ones and, if there are too many bytes, the
-- oldest.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local game, kept, most, most_of_game = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local function read(row)
  local first, bytes = string.match(row, '^(%d+) (%d+)')
  return tonumber(first), tonumber(bytes)
end

local first, bytes = now, 0
local row = redis.call('HGET', KEYS[1], game)
if row then first, bytes = read(row) end
for i = 6, #ARGV, 2 do
  local size = #ARGV[i + 1] + tonumber(ARGV[5])
  if bytes + size <= most_of_game and redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1]) == 1 then
    bytes = bytes + size
  end
end
if bytes == 0 then return {} end
redis.call('HSET', KEYS[1], game, string.format('%d %d', first, bytes))
redis.call('PEXPIRE', KEYS[1], kept)
redis.call('PEXPIREAT', KEYS[2], string.format('%d', first + kept))

local others, sum, dropped = {}, bytes, {}
local rows = redis.call('HGETALL', KEYS[1])
for i = 1, #rows, 2 do
  if rows[i] ~= game then
    local other_first, other_bytes = read(rows[i + 1])
    table.insert(others, {rows[i], other_first, other_bytes})
    sum = sum + other_bytes
  end
end
table.sort(others, function(one, other) return one[2] < other[2] end)
for _, other in ipairs(others) do
  if sum <= most and other[2] + kept > now then break end
  redis.call('HDEL', KEYS[1], other[1])
  table.insert(dropped, other[1])
  sum = sum - other[3]
end
return dropped
