-- One step of one game, all or nothing: 1 if it was taken, 0 if the game has another version.
-- KEYS: game, whose other keys share its hash tag '{g:<id>}'; on a single server also the due-list,
--   then the keys of the hints in their order.
-- ARGV: version expected ('' = no such game yet), new version, sheet, table, state ('' = as it was),
--   when the game is due ('' = as it was), entry for the outbox ('' = none), version whose entry is
--   acknowledged ('' = none), number of log entries, number of events, these, then the hints:
--   'must' | 'may' | 'none' | 'gone' member (see turns.lua), 'zadd' score member, 'zrem' member,
--   each with one key.
local game = KEYS[1]
if (redis.call('HGET', game, 'v') or '') ~= ARGV[1] then return 0 end
if ARGV[4] ~= '' then
  redis.call('HSET', game, 'v', ARGV[2], 's', ARGV[4], 't', ARGV[5])
else
  redis.call('HSET', game, 'v', ARGV[2])
end
if ARGV[3] ~= '' then
  redis.call('HSET', game, 'm', ARGV[3])
  -- A copy, should the game's own state ever be lost.
  redis.call('HSET', game .. ':rec', 'm', ARGV[3])
end
if ARGV[7] ~= '' then
  local outbox = game .. ':out'
  if ARGV[8] ~= '' then
    for _, entry in ipairs(redis.call('LRANGE', outbox, 0, -1)) do
      if string.match(entry, '^%d+') == ARGV[8] then redis.call('LREM', outbox, 1, entry) end
    end
  end
  redis.call('RPUSH', outbox, ARGV[7])
end
local at = 11
local function append(key, count)
  -- Lua's stack ends the number of arguments that unpack can give.
  for first = at, at + count - 1, 1000 do
    redis.call('RPUSH', key, unpack(ARGV, first, math.min(first + 999, at + count - 1)))
  end
  at = at + count
end
append(game .. ':log', tonumber(ARGV[9]))
append(game .. ':events', tonumber(ARGV[10]))
if ARGV[6] ~= '' then redis.call('ZADD', KEYS[2], ARGV[6], string.sub(game, 4, -2)) end
local key = 3
while ARGV[at] do
  local op = ARGV[at]
  if op == 'zadd' then
    redis.call('ZADD', KEYS[key], ARGV[at + 1], ARGV[at + 2])
    key, at = key + 1, at + 3
  elseif op == 'zrem' then
    redis.call('ZREM', KEYS[key], ARGV[at + 1])
    key, at = key + 1, at + 2
  else
    hint_turn(KEYS[key], op, ARGV[at + 1], ARGV[2])
    key, at = key + 1, at + 2
  end
end
return 1
