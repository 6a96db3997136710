-- board_publish
-- Publish a board atomically, unless another process was faster or the ledger was forgotten: 1 if it was published.
-- KEYS: board, whose other keys share its hash tag. ARGV: place expected ('' = none), turn expected, whether
--   the ledger was used ('' = the parts are all of it); then three times a number of arguments and as many
--   arguments (field, value, ...): of the board, of the ledger's changed parts, of the ratings; then a day, what stands for it on the list of days,
--   the first names of its sheets, its sheets.
local board = KEYS[1]
if (redis.call('HGET', board, 'place') or '') ~= ARGV[1] then return 0 end
if (redis.call('HGET', board, 'turn') or '0') ~= ARGV[2] then return 0 end
local at = 4
local function set(key)
  local count = tonumber(ARGV[at])
  for pair = at + 1, at + count, 2 do redis.call('HSET', key, ARGV[pair], ARGV[pair + 1]) end
  at = at + count + 1
end
if ARGV[3] == '' then redis.call('DEL', board .. ':ledger') end
redis.call('HDEL', board, 'ledger')
set(board)
set(board .. ':ledger')
set(board .. ':ratings')
local day, points = ARGV[at], board .. ':points'
redis.call('HSET', board .. ':days', day, ARGV[at + 1])
redis.call('HSET', points, day, ARGV[at + 2])
local sheet = 0
for own = at + 3, #ARGV do
  redis.call('HSET', points, day .. '/' .. sheet, ARGV[own])
  sheet = sheet + 1
end
while redis.call('HDEL', points, day .. '/' .. sheet) == 1 do sheet = sheet + 1 end
return 1
