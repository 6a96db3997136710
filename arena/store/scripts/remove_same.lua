-- Remove fields of a hash if all of them still have these values. KEYS: the hash.
-- ARGV: per field: the field, its value. Returns 1 if none of them is left.
for at = 1, #ARGV, 2 do
  local value = redis.call('HGET', KEYS[1], ARGV[at])
  if value and value ~= ARGV[at + 1] then return 0 end
end
for at = 1, #ARGV, 2 do redis.call('HDEL', KEYS[1], ARGV[at]) end
return 1
