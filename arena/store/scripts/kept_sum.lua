-- The bytes that were stored within a day. KEYS: the hash of the hours.
return sum_bytes(KEYS[1])
