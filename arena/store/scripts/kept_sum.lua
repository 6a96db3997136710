-- Return the number of bytes that were stored within the last day. KEYS: the hash of bytes by hour.
return sum_bytes(KEYS[1])
