-- Count what a bot stores. KEYS: its versions, its sources, its uploads, the bytes of its notes by game, those of its
-- logs. ARGV: milliseconds for which notes and logs are kept. Returns the number of versions and of uploads that can
-- become versions, and the bytes of sources, notes and logs.
local now, bytes = server_ms(), 0
for _, digest in ipairs(redis.call('HKEYS', KEYS[2])) do
  bytes = bytes + redis.call('HSTRLEN', KEYS[2], digest)
end
for i = 1, 2 do bytes = bytes + sum_texts(KEYS[3 + i], tonumber(ARGV[i]), now) end
return {redis.call('HLEN', KEYS[1]) + redis.call('HLEN', KEYS[3]), bytes}
