-- Count what a bot stores. KEYS: its versions, its sources, its uploads, the bytes of its notes by game. Returns the
-- number of versions and of uploads that can become versions, and the bytes of sources and notes.
local bytes = 0
for _, digest in ipairs(redis.call('HKEYS', KEYS[2])) do
  bytes = bytes + redis.call('HSTRLEN', KEYS[2], digest)
end
for _, row in ipairs(redis.call('HVALS', KEYS[4])) do
  bytes = bytes + tonumber(string.match(row, '^%d+ (%d+)'))
end
return {redis.call('HLEN', KEYS[1]) + redis.call('HLEN', KEYS[3]), bytes}
