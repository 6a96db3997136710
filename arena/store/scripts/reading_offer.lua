-- Record which events a reply to a bot contains. KEYS: the bot's readings, by place, as '<since> <until> <turn>'. ARGV:
-- milliseconds for which they are kept, the turn in the reply; then for each place its name, and the number of the first
-- event after those in the reply. A place that was offered with this turn before stays unchanged.
for i = 3, #ARGV, 2 do
  local row = redis.call('HGET', KEYS[1], ARGV[i])
  local since, turn = '0', ''
  if row then since, turn = string.match(row, '^(%d+) %d+ (%S*)') end
  if turn ~= ARGV[2] then
    redis.call('HSET', KEYS[1], ARGV[i], since .. ' ' .. ARGV[i + 1] .. ' ' .. ARGV[2])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
