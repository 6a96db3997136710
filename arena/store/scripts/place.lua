-- place
-- Say where records are in the archive, in the place of a copy of them, or if nothing is known.
-- KEYS: hash. ARGV: field, where they are. A copy is gzipped.
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known or string.sub(known, 1, 2) == '\31\139' then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
return 1
