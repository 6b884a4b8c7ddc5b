-- A bucket is "LIMIT LEFT WINDOW" (the window in milliseconds) and expires with its window, which begins with
-- the first request: Redis' own clock is the only one that counts. Whatever else is under the key is none.
--
-- KEYS  the bucket
-- ARGV  act; limit and window of a new bucket; tokens to add
-- gives limit, tokens left, milliseconds until the window ends, 1 if a token was taken
local key, act = KEYS[1], ARGV[1]
local limit, window, more = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local left, rest = nil, redis.call('PTTL', key)
if redis.call('TYPE', key).ok == 'string' then
  local a, b, c = string.match(redis.call('GETRANGE', key, 0, 63), '^(%d+) (%d+) (%d+)$')
  -- A longer rest than the window is that of a clock that was set back.
  if a and rest > 0 and rest <= tonumber(c) then
    limit, left, window = tonumber(a), tonumber(b), tonumber(c)
  end
end

local known = left ~= nil
if act == 'get' then
  if not known then
    return {0, 0, 0, 0}
  end
  return {limit, left, rest, 0}
end
if act == 'set' then
  known, limit, window = false, tonumber(ARGV[2]), tonumber(ARGV[3])
end
if not known then
  left, rest = limit, window
end

local taken = 0
if act == 'burst' then
  if not known then
    limit = limit + more
  end
  left = left + more
elseif act == 'take' and left > 0 then
  left, taken = left - 1, 1
end
if not known or act ~= 'take' or taken == 1 then
  redis.call('SET', key, string.format('%.0f %.0f %.0f', limit, left, window), 'PX', rest)
end
return {limit, left, rest, taken}
