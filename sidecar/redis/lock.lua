-- Takes, renews or releases the lock of a key. Whatever lasts for ever under it is no lock of ours.
--
-- KEYS  the lock
-- ARGV  its owner; for how many milliseconds it lasts, 0 to release it
-- gives 1 if the owner has it, or had it until now, and 0 if another one has it
local free = redis.call('PTTL', KEYS[1]) < 0
if not free and not (redis.call('TYPE', KEYS[1]).ok == 'string' and redis.call('GETRANGE', KEYS[1], 0, 63) == ARGV[1]) then
  return {0}
end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '0' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return {1}
