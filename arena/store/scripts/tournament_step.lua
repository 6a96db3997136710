-- tournament_step
-- Apply one step of a tournament atomically. Returns 1 if it was accepted, or 0 if the tournament has another version.
-- KEYS: tournament, whose other keys share its hash tag '{t:<id>}'. ARGV: expected version ('' = the tournament must
-- not exist), new meta, number of new groups, then for each group: id, row, and when it is due ('' = a live group).
-- Existing groups stay unchanged.
local event = KEYS[1]
local version = redis.call('HGET', event, 'v') or ''
if version ~= ARGV[1] then return 0 end
redis.call('HSET', event, 'v', (tonumber(version) or 0) + 1, 'm', ARGV[2])
redis.call('HINCRBY', event, 'n', 1)
for at = 4, 3 * tonumber(ARGV[3]) + 3, 3 do
  if redis.call('HSETNX', event .. ':groups', ARGV[at], ARGV[at + 1]) == 1 then
    redis.call('RPUSH', event .. ':order', ARGV[at])
    local list = ARGV[at + 2] ~= '' and ':due' or ':remote'
    redis.call('ZADD', event .. list, ARGV[at + 2] ~= '' and ARGV[at + 2] or 0, ARGV[at])
  end
end
return 1
