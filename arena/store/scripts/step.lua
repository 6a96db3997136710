-- Apply steps of games, each atomically. Returns for each 1 if it was accepted, or 0 if the game has another version.
-- One script applies several steps, because calling a script costs a third of a step. On a cluster each call has one
-- step.
-- KEYS, for each step: game, whose other keys share its hash tag '{g:<id>}'; the key of each hint.
-- ARGV, for each step: number of its keys, expected version ('' = the game must not exist), new version, header,
--   table, state ('' = unchanged), entry for the outbox ('' = none), version whose entry is acknowledged ('' = none),
--   number of log entries, number of events, the log entries and events; then for each hint its kind, the member, and
--   the change of the turn ('must', 'may' or 'gone', see turns.lua) or the score in the list.
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

local function hint(key, kind, member, value, version)
  if kind == 'TurnHint' then
    hint_turn(key, value, member, version)
  elseif kind == 'ListAdd' then
    call('ZADD', key, value, member)
  else
    call('ZREM', key, member)
  end
end

local function take(key, at, log, events, hints)
  local game = KEYS[key]
  local version, header, progress = ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  if (call('HGET', game, 'v') or '') ~= ARGV[at + 1] then return 0 end
  if progress ~= '' then
    call('HSET', game, 'v', version, 's', progress, 't', ARGV[at + 5])
  else
    call('HSET', game, 'v', version)
  end
  if header ~= '' then
    call('HSET', game, 'm', header)
    -- A copy, in case the game's own state is lost.
    call('HSET', game .. ':rec', 'm', header)
  end
  if ARGV[at + 6] ~= '' then leave(game .. ':out', ARGV[at + 6], ARGV[at + 7]) end
  append(game .. ':log', log, events - 1)
  append(game .. ':events', events, hints - 1)
  for number = 1, ARGV[at] - 1 do
    local one = hints + 3 * (number - 1)
    hint(KEYS[key + number], ARGV[one], ARGV[one + 1], ARGV[one + 2], version)
  end
  return 1
end

local taken = {}
local key, at = 1, 1
while ARGV[at] do
  local log = at + 10
  local events = log + ARGV[at + 8]
  local hints = events + ARGV[at + 9]
  taken[#taken + 1] = take(key, at, log, events, hints)
  key, at = key + ARGV[at], hints + 3 * (ARGV[at] - 1)
end
return taken
