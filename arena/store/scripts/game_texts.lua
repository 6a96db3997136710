-- Library for the texts of a bot by game: a hash from each game to the time of its first text and its bytes.
local function server_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function read_texts(row)
  local first, bytes = string.match(row, '^(%d+) (%d+)')
  return tonumber(first), tonumber(bytes)
end

local function write_texts(key, game, first, bytes, kept)
  redis.call('HSET', key, game, string.format('%d %d', first, bytes))
  redis.call('PEXPIRE', key, string.format('%d', kept))
end

-- Return the bytes of all texts that have not expired.
local function sum_texts(key, kept, now)
  local sum = 0
  for _, row in ipairs(redis.call('HVALS', key)) do
    local first, bytes = read_texts(row)
    if first + kept > now then sum = sum + bytes end
  end
  return sum
end

-- Remove rows of expired games and, while there are more than most bytes or games, of the oldest games except one.
-- Returns the removed games.
local function drop_texts(key, game, kept, most, most_games, now)
  local others, sum, count, dropped = {}, 0, 0, {}
  local rows = redis.call('HGETALL', key)
  for i = 1, #rows, 2 do
    local first, bytes = read_texts(rows[i + 1])
    sum, count = sum + bytes, count + 1
    if rows[i] ~= game then table.insert(others, {rows[i], first, bytes}) end
  end
  table.sort(others, function(one, other) return one[2] < other[2] end)
  for _, other in ipairs(others) do
    if sum <= most and count <= most_games and other[2] + kept > now then break end
    redis.call('HDEL', key, other[1])
    table.insert(dropped, other[1])
    sum, count = sum - other[3], count - 1
  end
  return dropped
end
