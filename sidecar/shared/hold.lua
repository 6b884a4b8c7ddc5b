-- Makes a turn last for another lease, if it is the caller's or nobody's: a Redis that was started anew has
-- forgotten whose it was.
--
-- KEYS  whose turn it is
-- ARGV  the claim's name; its lease in milliseconds
local name = '+' .. ARGV[1]
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' or kind == 'string' and redis.call('GETRANGE', KEYS[1], 0, 63) == name then
  redis.call('SET', KEYS[1], name, 'PX', ARGV[2])
end
return {0}
