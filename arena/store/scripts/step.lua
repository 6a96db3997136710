-- Steps of games, each atomic: for each 1 if it was accepted, 0 if the game has another version. One script
-- for several, because calling a script costs a third of a step. On a cluster there is one step per call.
-- KEYS, for each step: game, whose other keys share its hash tag '{g:<id>}'; the due-list if it is
--   touched; the keys of the hints in their order.
-- ARGV, for each step: number of its keys, number of its arguments after this one, version expected
--   ('' = the game must not exist), new version, header, table, state ('' = unchanged), when the game is due
--   ('' = unchanged), entry for the outbox ('' = none), version whose entry is acknowledged ('' = none),
--   number of log entries, number of events, these, then the hints:
--   'must' | 'may' | 'gone' member (see turns.lua), 'zadd' score member, 'zrem' member, each with one key.
local call = redis.call

local function append(list, first, last)
  -- Lua's stack limits the number of values that unpack can return.
  for from = first, last, 1000 do
    call('RPUSH', list, unpack(ARGV, from, math.min(from + 999, last)))
  end
end

local function leave(outbox, entry, acknowledged)
  if acknowledged ~= '' then
    for _, known in ipairs(call('LRANGE', outbox, 0, -1)) do
      if string.match(known, '^%d+') == acknowledged then call('LREM', outbox, 1, known) end
    end
  end
  call('RPUSH', outbox, entry)
end

local function take(key, at, stop)
  local game = KEYS[key]
  local version, header, progress, due = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 5]
  if (call('HGET', game, 'v') or '') ~= ARGV[at] then return 0 end
  if progress ~= '' then
    call('HSET', game, 'v', version, 's', progress, 't', ARGV[at + 4])
  else
    call('HSET', game, 'v', version)
  end
  if header ~= '' then
    call('HSET', game, 'm', header)
    -- A copy, in case the game's own state is lost.
    call('HSET', game .. ':rec', 'm', header)
  end
  if ARGV[at + 6] ~= '' then leave(game .. ':out', ARGV[at + 6], ARGV[at + 7]) end
  local log = at + 10
  local events = log + ARGV[at + 8]
  local hint = events + ARGV[at + 9]
  append(game .. ':log', log, events - 1)
  append(game .. ':events', events, hint - 1)
  if due ~= '' then
    key = key + 1
    call('ZADD', KEYS[key], due, string.sub(game, 4, -2))
  end
  while hint <= stop do
    key = key + 1
    local op = ARGV[hint]
    if op == 'zadd' then
      call('ZADD', KEYS[key], ARGV[hint + 1], ARGV[hint + 2])
      hint = hint + 3
    elseif op == 'zrem' then
      call('ZREM', KEYS[key], ARGV[hint + 1])
      hint = hint + 2
    else
      hint_turn(KEYS[key], op, ARGV[hint + 1], version)
      hint = hint + 2
    end
  end
  return 1
end

local taken = {}
local key, at = 1, 1
while ARGV[at] do
  local stop = at + 1 + ARGV[at + 1]
  taken[#taken + 1] = take(key, at + 2, stop)
  key, at = key + ARGV[at], stop + 1
end
return taken
