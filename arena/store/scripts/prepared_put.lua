-- Store parts of a prepared page, and make room by dropping the oldest pages. KEYS: the pages by the time of their
-- latest part, the bytes by page, the parts of the page, the pages by when they end. ARGV: the page, the maximum bytes
-- of all pages, milliseconds for which the page is kept, the bytes of a part besides its value, 1 to delete all other
-- parts, the number of conditions; then the name and the value of each part that must be stored already, where an empty
-- value is that of a missing part; then the name and the value of each part to store. An empty value deletes the part.
-- Returns the pages whose parts the caller must delete, or nil if a condition is not met; then nothing is stored.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local page, most, kept, extra = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
-- The name of the sum of all pages is empty.
local function add(name, bytes)
  redis.call('HINCRBY', KEYS[2], name, bytes)
  return redis.call('HINCRBY', KEYS[2], '', bytes)
end

local first = 7 + 2 * tonumber(ARGV[6])
for i = 7, first - 1, 2 do
  if (redis.call('HGET', KEYS[3], ARGV[i]) or '') ~= ARGV[i + 1] then return false end
end
if ARGV[5] == '1' then redis.call('DEL', KEYS[3]) end
if redis.call('EXISTS', KEYS[3]) == 0 then add(page, -(redis.call('HGET', KEYS[2], page) or 0)) end
local change = 0
for i = first, #ARGV, 2 do
  local name, value = ARGV[i], ARGV[i + 1]
  if redis.call('HEXISTS', KEYS[3], name) == 1 then
    change = change - redis.call('HSTRLEN', KEYS[3], name) - extra
  end
  if value == '' then
    redis.call('HDEL', KEYS[3], name)
  else
    redis.call('HSET', KEYS[3], name, value)
    change = change + #value + extra
  end
end
redis.call('PEXPIRE', KEYS[3], kept)
redis.call('ZADD', KEYS[1], now, page)
redis.call('ZADD', KEYS[4], now + kept, page)
local sum, dropped = add(page, change), {}
local function unlist(name)
  redis.call('ZREM', KEYS[1], name)
  redis.call('ZREM', KEYS[4], name)
  sum = add(name, -(redis.call('HGET', KEYS[2], name) or 0))
  redis.call('HDEL', KEYS[2], name)
end
local function drop(name)
  unlist(name)
  table.insert(dropped, name)
end
if redis.call('EXISTS', KEYS[3]) == 0 then unlist(page) end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)) do drop(name) end
while sum > most do
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  if not oldest then break end
  drop(oldest)
end
return dropped
