-- Store that the only person at a table is there. Returns 1 if the table is paused because the person was gone, else 0.
-- KEYS: game. ARGV: served time, time after which a table is paused (both in milliseconds), '1' to end the pause ('' =
-- store nothing if the table is paused).
local values = redis.call('HMGET', KEYS[1], 'v', 'p')
if not values[1] then return 0 end
local now = tonumber(ARGV[1])
local seen, paused, back, last = string.match(values[2] or '', '^(%d+) (%d+) (%d+) (%d+)$')
seen, paused, back, last = tonumber(seen or now), tonumber(paused or 0), tonumber(back or 0), tonumber(last or 0)
local pause = now - seen - tonumber(ARGV[2])
if pause > 0 then
  if ARGV[3] == '' then return 1 end
  paused, back, last = paused + pause, now, pause
end
local stored = string.format('%.0f %.0f %.0f %.0f', math.max(now, seen), paused, back, last)
redis.call('HSET', KEYS[1], 'p', stored)
return pause > 0 and 1 or 0
