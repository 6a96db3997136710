-- bot_create
-- Create a bot with its first version, or with the upload that can become it. Nothing is stored if its name is or was
-- in use. KEYS: the bot, its versions, its sources, its uploads. ARGV: an object with fields (of the bot, with the hash
-- of its token), and either label and version or the upload's id, row and digest; then the upload's source. Returns 1
-- if the bot is created, including when the same call is repeated.
local bot, versions, sources, uploads = unpack(KEYS)
local new = cjson.decode(ARGV[1])
if redis.call('EXISTS', bot) == 1 then
  return redis.call('HGET', bot, 'token') == new.fields.token and 1 or 0
end
for field, value in pairs(new.fields) do redis.call('HSET', bot, field, value) end
if new.id then
  redis.call('HSET', uploads, new.id, new.row)
  redis.call('HSET', sources, new.digest, ARGV[2])
else
  redis.call('HSET', versions, new.label, new.version)
end
return 1
