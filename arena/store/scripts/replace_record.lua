-- replace_record
-- Replace a game's record, if it is still stored. KEYS: the hash of the record. ARGV: the record, gzipped.
if redis.call('HEXISTS', KEYS[1], 'z') == 1 then redis.call('HSET', KEYS[1], 'z', ARGV[1]) end
return 1
