-- Count bytes that are stored for a day. KEYS: the hash of bytes by hour. ARGV: the number of bytes.
add_bytes(KEYS[1], ARGV[1])
return 1
