-- Library for the turns of a bot. Its keys share the hash tag '{b:<bot>}'; the first of them is passed:
-- <tag>: hash from member to its list ('t' turns, 'r' rights) and the game version of the newest hint, and from
--   '' to the last sequence number;
-- <tag>:turns: sorted set of members with a turn that must be answered;
-- <tag>:rights: the same for turns that may be answered.
-- A member is '<game>.<seat>'; a score is one of the bot's sequence numbers, which clients use as cursors.
-- op: 'must' or 'may' (a new turn), 'gone' (the game is over). An answered turn stays in its list until the
-- seat has its next one, or a reader finds that it is not pending (see prune.lua). A hint that is not newer
-- than the stored one changes nothing, so hints can arrive twice or late.
local function hint_turn(marks, op, member, version)
  local known = redis.call('HMGET', marks, member, '')
  local mark = known[1]
  local was
  if mark then
    if tonumber(string.sub(mark, 2)) >= tonumber(version) then return end
    was = string.sub(mark, 1, 1)
  end
  local is = op == 'must' and 't' or op == 'may' and 'r'
  if was == 't' and is ~= 't' then redis.call('ZREM', marks .. ':turns', member) end
  if was == 'r' and is ~= 'r' then redis.call('ZREM', marks .. ':rights', member) end
  if not is then
    redis.call('HDEL', marks, member)
    return
  end
  local number = (known[2] or 0) + 1
  redis.call('HSET', marks, member, is .. version, '', number)
  redis.call('ZADD', marks .. (is == 't' and ':turns' or ':rights'), number, member)
end
