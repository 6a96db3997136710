-- board_publish
-- Publish a board atomically from what was staged, unless another process was faster, the ledger was forgotten, or
-- some of it has expired: 1 if it was published.
-- KEYS: board, prefix of what was staged; other keys share their hash tag. ARGV: place expected ('' = none), turn
--   expected, whether the ledger was used ('' = the staged parts are all of it); the number of fields staged of
--   board, ledger, ratings and points; place, at, cost, layout; a day, the value of its field on the list of days.
local board, staged = KEYS[1], KEYS[2]
local function drop()
  redis.call('UNLINK', staged .. ':board', staged .. ':ledger', staged .. ':ratings', staged .. ':points')
end
local is_current = (redis.call('HGET', board, 'place') or '') == ARGV[1]
  and (redis.call('HGET', board, 'turn') or '0') == ARGV[2]
for at, part in ipairs({':board', ':ledger', ':ratings', ':points'}) do
  if redis.call('HLEN', staged .. part) ~= tonumber(ARGV[at + 3]) then is_current = false end
end
if not is_current then
  drop()
  return 0
end
local function joined(name)
  local pieces = {}
  while true do
    local piece = redis.call('HGET', staged .. ':board', name .. '/' .. #pieces)
    if not piece then return table.concat(pieces) end
    pieces[#pieces + 1] = piece
  end
end
local function replace(part)
  redis.call('UNLINK', board .. part)
  if redis.call('EXISTS', staged .. part) == 1 then
    redis.call('RENAME', staged .. part, board .. part)
    redis.call('PERSIST', board .. part)
  end
end
local function add(part)
  for _, field in ipairs(redis.call('HKEYS', staged .. part)) do
    redis.call('HSET', board .. part, field, redis.call('HGET', staged .. part, field))
  end
end
redis.call('HSET', board, 'board', joined('board'), 'head', joined('head'), 'place', ARGV[8], 'at', ARGV[9],
  'cost', ARGV[10], 'layout', ARGV[11])
if ARGV[3] == '' then replace(':ledger') else add(':ledger') end
replace(':ratings')
local day, sheet = ARGV[12], tonumber(ARGV[7]) - 1
redis.call('HSET', board .. ':days', day, ARGV[13])
add(':points')
while redis.call('HDEL', board .. ':points', day .. '/' .. sheet) == 1 do sheet = sheet + 1 end
drop()
return 1
