-- Store the log of a bot in one game. KEYS: the bytes of the bot's logs by game, the log. ARGV: the game, milliseconds
-- for which it is kept, the maximum bytes per bot, the bytes for which there is room now, the maximum number of games,
-- the bytes of a log besides its text, the log. Returns by how many bytes the bot's logs grew, and the games whose logs
-- the caller must delete: expired ones and, if there are too many, the oldest. A log for which there is no room is not
-- stored.
local now, game, kept = server_ms(), ARGV[1], tonumber(ARGV[2])
local before = sum_texts(KEYS[1], kept, now)
local most = math.min(tonumber(ARGV[3]), before + tonumber(ARGV[4]))
local bytes = #ARGV[7] + tonumber(ARGV[6])
if bytes > most then return {0} end
redis.call('SET', KEYS[2], ARGV[7], 'PX', string.format('%d', kept))
write_texts(KEYS[1], game, now, bytes, kept)
local dropped = drop_texts(KEYS[1], game, kept, most, tonumber(ARGV[5]), now)
return {sum_texts(KEYS[1], kept, now) - before, unpack(dropped)}
