-- board_publish
-- Publish a board atomically from the staged values. Returns 1 if it was published, or 0 if another process was faster,
-- the ledger was forgotten, or a staged value has expired.
-- KEYS: board, prefix of the staged values; other keys share their hash tag. ARGV: an object with place_before ('' =
-- none), turn_before, whole_ledger (whether the staged parts are the complete ledger), staged (the number of staged
-- fields of board, ledger, ratings and points), fields (of the board), day, and listed (its value in the list of days).
local board, staged = KEYS[1], KEYS[2]
local new = cjson.decode(ARGV[1])
local is_current = (redis.call('HGET', board, 'place') or '') == new.place_before
  and (redis.call('HGET', board, 'turn') or '0') == new.turn_before
for part, count in pairs(new.staged) do
  if redis.call('HLEN', staged .. ':' .. part) ~= count then is_current = false end
end
local function drop()
  for part in pairs(new.staged) do redis.call('UNLINK', staged .. ':' .. part) end
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
redis.call('HSET', board, 'board', joined('board'), 'head', joined('head'))
for field, value in pairs(new.fields) do redis.call('HSET', board, field, value) end
if new.whole_ledger then replace(':ledger') else add(':ledger') end
replace(':ratings')
redis.call('HSET', board .. ':days', new.day, new.listed)
add(':points')
local sheet = new.staged.points - 1
while redis.call('HDEL', board .. ':points', new.day .. '/' .. sheet) == 1 do sheet = sheet + 1 end
drop()
return 1
