-- Store notes of a bot on its moves in one game; the first note on a move is kept. KEYS: the bytes of the bot's notes
-- by game, the notes of the game. ARGV: the game, milliseconds for which notes are kept, the maximum bytes per bot, the
-- bytes for which there is room now, the maximum per game, the bytes of a note besides its text; then for each note the
-- number of actions before the move, and the text. Returns by how many bytes the bot's notes grew, and the games whose
-- notes the caller must delete: expired ones and, if there are too many bytes, the oldest.
local now, game, kept = server_ms(), ARGV[1], tonumber(ARGV[2])
local before = sum_texts(KEYS[1], kept, now)
local most = math.min(tonumber(ARGV[3]), before + tonumber(ARGV[4]))
local most_of_game = math.min(tonumber(ARGV[5]), most)

local first, bytes = now, 0
local row = redis.call('HGET', KEYS[1], game)
if row then first, bytes = read_texts(row) end
for i = 7, #ARGV, 2 do
  local size = #ARGV[i + 1] + tonumber(ARGV[6])
  if bytes + size <= most_of_game and redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1]) == 1 then
    bytes = bytes + size
  end
end
if bytes == 0 then return {0} end
write_texts(KEYS[1], game, first, bytes, kept)
redis.call('PEXPIREAT', KEYS[2], string.format('%d', first + kept))
local dropped = drop_texts(KEYS[1], game, kept, most, math.huge, now)
return {sum_texts(KEYS[1], kept, now) - before, unpack(dropped)}
