-- board_forget
-- Delete the ledger of a board, so that its groups are recounted. KEYS: board, whose other keys share its hash tag.
redis.call('HDEL', KEYS[1], 'head', 'place')
redis.call('UNLINK', KEYS[1] .. ':ledger')
redis.call('HINCRBY', KEYS[1], 'turn', 1)
return 1
