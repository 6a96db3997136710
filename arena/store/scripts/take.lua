-- Take up to the requested number of tokens from a bucket. KEYS: the bucket. ARGV: tokens per second, the bucket's
-- size, the number requested. Returns {number taken, milliseconds until the next token, number left}. A bucket expires
-- when it is full.
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local rate, size, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local bucket = redis.call('HMGET', KEYS[1], 'left', 'at')
local left = size
if bucket[1] then left = math.min(size, bucket[1] + math.max(0, now - bucket[2]) * rate) end
local given = math.min(wanted, math.floor(left))
if given == 0 then return {0, math.ceil((1 - left) / rate * 1000), 0} end
left = left - given
redis.call('HSET', KEYS[1], 'left', tostring(left), 'at', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((size - left) / rate * 1000))
return {given, 0, math.floor(left)}
