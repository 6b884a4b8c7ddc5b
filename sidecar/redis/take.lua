-- Takes a token. A bucket is "LIMIT LEFT WINDOW" (the window in milliseconds) and expires with its window, which begins
-- with the first request: Redis' own clock is the only one that counts. Anything else under the key is no bucket.
--
-- KEYS  the bucket
-- ARGV  limit and window of a new bucket
-- gives tokens left, milliseconds until the window ends, 1 unless no token was left to take
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local left, rest = limit, window

local ttl = redis.call('PTTL', key)
if ttl > 0 and redis.call('TYPE', key).ok == 'string' then
  local a, b, c = string.match(redis.call('GETRANGE', key, 0, 63), '^(%d+) (%d+) (%d+)$')
  -- A longer rest than the window is that of a clock that was set back.
  if a and ttl <= tonumber(c) then
    limit, left, window, rest = tonumber(a), tonumber(b), tonumber(c), ttl
  end
end

if left < 1 then
  return {0, rest, 0}
end
left = left - 1
redis.call('SET', key, string.format('%.0f %.0f %.0f', limit, left, window), 'PX', rest)
return {left, rest, 1}
