-- Return a piece of the source of a version, or an empty string after its end or if it is gone. KEYS: sources of the
-- bot by digest. ARGV: digest, start, size.
local source = redis.call('HGET', KEYS[1], ARGV[1])
if not source then return '' end
return string.sub(source, ARGV[2] + 1, ARGV[2] + ARGV[3])
