-- board_trim
-- Remove groups of a tournament from the list of released groups. Returns 1 if none of them is left there; if the
-- ledger lacks one of them, all stay. KEYS: board, whose other keys share its hash tag. ARGV: tournament, members.
local board = KEYS[1]
local log = board .. ':log'
local place = tonumber(redis.call('HGET', board, 'place') or '-1')
if redis.call('HEXISTS', board, 'head') == 0 then place = -1 end
local highest = nil
for at = 2, #ARGV do
  local own = redis.call('ZSCORE', log, ARGV[at])
  if own then
    if tonumber(own) > place then return 0 end
    highest = math.max(highest or 0, tonumber(own))
  end
end
if highest then
  redis.call('ZADD', board .. ':tournaments', 'GT', string.format('%.0f', highest), ARGV[1])
  for at = 2, #ARGV do redis.call('ZREM', log, ARGV[at]) end
end
return 1
