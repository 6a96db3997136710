-- Drop the entries of a game's outbox up to and including a version. KEYS: outbox. ARGV: version.
local head = redis.call('LINDEX', KEYS[1], 0)
while head and tonumber(string.match(head, '^%d+')) <= tonumber(ARGV[1]) do
  redis.call('LPOP', KEYS[1])
  head = redis.call('LINDEX', KEYS[1], 0)
end
return 1
