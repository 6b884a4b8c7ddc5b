-- Asks for the turn to fetch a key.
--
-- KEYS  what is kept; whose turn it is: "+NAME" while a process fetches, "-WORD" while a failure stands
-- ARGV  the claim's name; its lease in milliseconds; the beginning of the record that is known; the most
--       bytes of a record that are read
-- gives 1 and a record that does not begin like that; else 2, the failure and for how long it stands in
-- milliseconds; else 3 if the turn is the caller's now, and 0 if it is another's
local kept, turn = KEYS[1], KEYS[2]
local name, lease, seen, most = '+' .. ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

-- What is of another type, or stands for ever, nobody of us has left.
local function ours(key)
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then
    return false
  end
  if kind == 'string' and redis.call('PTTL', key) > 0 then
    return true
  end
  redis.call('DEL', key)
  return false
end

if ours(kept) then
  local size = redis.call('STRLEN', kept)
  if size > 0 and size <= most and (seen == '' or redis.call('GETRANGE', kept, 0, #seen - 1) ~= seen) then
    return {1, redis.call('GET', kept)}
  end
end
if ours(turn) then
  local holder = redis.call('GETRANGE', turn, 0, 63)
  if string.sub(holder, 1, 1) == '-' then
    return {2, string.sub(holder, 2), redis.call('PTTL', turn)}
  end
  if holder ~= name then
    return {0}
  end
end
redis.call('SET', turn, name, 'PX', lease)
return {3}
