-- Leaves what came of a turn, and ends it if it is still the caller's.
--
-- KEYS  what is kept; whose turn it is
-- ARGV  the claim's name; the record, empty for none, and for how many milliseconds; 1 if what is kept goes;
--       the failure, empty for none, and for how many milliseconds it stands
local name = '+' .. ARGV[1]
if ARGV[4] == '1' then
  redis.call('DEL', KEYS[1])
elseif ARGV[2] ~= '' then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
if redis.call('TYPE', KEYS[2]).ok == 'string' and redis.call('GETRANGE', KEYS[2], 0, 63) == name then
  if ARGV[5] ~= '' then
    redis.call('SET', KEYS[2], '-' .. ARGV[5], 'PX', ARGV[6])
  else
    redis.call('DEL', KEYS[2])
  end
end
return {0}
