-- Count bytes that are stored for a day. KEYS: the hash of the hours. ARGV: the bytes.
add_bytes(KEYS[1], ARGV[1])
return 1
