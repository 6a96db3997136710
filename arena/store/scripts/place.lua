-- place
-- Store the archive location of records, replacing a copy of them (which is gzipped) or a missing value. KEYS: hash.
-- ARGV: field, location.
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known or string.sub(known, 1, 2) == '\31\139' then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
return 1
