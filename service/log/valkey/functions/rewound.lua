#!lua name=rewound_12
-- The changes that must be one step, as functions inside the server.
--
-- Every check comes before the first write, because an error half way would leave the writes before it.
-- No function has the flag `allow-oom`: above `maxmemory` the server refuses a call before its first line.
-- A refusal is a reply, {what, number...}, never an error: only the server itself raises errors.
-- The number in the names of the library and its functions counts changes of behaviour. Libraries with
-- different numbers coexist, so during an upgrade each process finds the functions that it was written for.
--
-- A function's comment lists: keys | arguments -> reply.

local ZERO_HASH = '0000000000000000000000000000000000000000000000000000000000000000'

-- The id of the server process that runs this; read once, because each process loads the library itself.
local run_id
local function run()
  if not run_id then
    run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
  end
  return run_id
end

local function entry_id(n, sub)
  return string.format('%d-%d', n, sub)
end

-- Add request n, and beside it the context of its trace, which is no part of the record: that is the field `r` alone.
local function add(commands, n, request, trace)
  if trace and trace ~= '' then
    redis.call('XADD', commands, entry_id(n, 0), 'r', request, 't', trace)
  else
    redis.call('XADD', commands, entry_id(n, 0), 'r', request)
  end
end

-- commands, head, keys | the key's field, fingerprint, request, expected or '', 1 to create; further requests
--   from index `more` on, which get the following numbers; the trace context of all of them, or nil; how many
--   commands may be undecided with them, or nil
--   -> {appended | replayed | key_reused | conflict, n} | {taken} | {missing} | {undecided, how many};
--   and the folded number, the last appended one
local function append(keys, args, more, trace, most)
  local commands, head, idempotency = keys[1], keys[2], keys[3]
  local field, fingerprint, request, expected, create = args[1], args[2], args[3], args[4], args[5] == '1'
  local numbers = redis.call('HMGET', head, 'appended', 'folded', 'bytes')
  local appended, folded = tonumber(numbers[1] or ''), tonumber(numbers[2] or '')

  local known = redis.call('HGET', idempotency, field)
  if known then
    local n, first = string.match(known, '^(%d+) (.*)$')
    if first ~= fingerprint then
      return { 'key_reused', tonumber(n) }, folded
    end
    -- write it again: WAIT counts the replicas that have the caller's last write, and an earlier WAIT may have
    -- been left without a reply
    redis.call('HSET', idempotency, field, known)
    return { 'replayed', tonumber(n) }, folded, appended
  end
  if create and appended then
    return { 'exists' }
  end
  if not create and not appended then
    return { 'missing' }
  end
  if expected ~= '' and tonumber(expected) ~= (appended or 0) then
    return { 'conflict', appended or 0 }
  end

  local n = (appended or 0) + 1
  if most and n + #args - (more or #args + 1) + 1 - (folded or 0) > most then
    return { 'undecided', n - 1 - (folded or 0) }
  end
  add(commands, n, request, trace)
  local last, bytes = n, tonumber(numbers[3] or '0') + #request
  for i = more or #args + 1, #args do
    last = last + 1
    bytes = bytes + #args[i]
    add(commands, last, args[i], trace)
  end
  redis.call('HSET', head, 'appended', last, 'bytes', bytes, 'run', run())
  if create then
    redis.call('HSET', head, 'folded', 0, 'hash', ZERO_HASH, 'frontier', '')
  end
  redis.call('HSET', idempotency, field, string.format('%d ', n) .. fingerprint)
  return { 'appended', n }, folded or 0, last
end

-- as append; and dirty set, ring | encounter, now (ms), life of the ring (ms), channel of the bucket's commands,
--   name of the secret's key or '', the secret, the process that asks or '', the trace context or '', how many commands
--   may be undecided with these or ''; further requests last.
-- The secret's key is not a key of the call: a user must be allowed to read what a call names, and the API may
--   only write secrets. A cluster runs it all the same, because the key has the tag of the others' slot.
-- -> as append; and how many commands are undecided now, and 1 if nobody listens to the bucket and the caller must
--   enqueue a fold.
local function submit(keys, args)
  local answer, folded, last = append(keys, args, 15, args[13], tonumber(args[14]))
  if last then
    answer[3] = last - folded
    answer[4] = 0
  end
  if answer[1] == 'appended' and args[10] ~= '' then
    redis.call('SET', args[10], args[11], 'NX')
  end
  local unfolded = answer[1] == 'appended' or (answer[1] == 'replayed' and answer[2] > folded)
  if unfolded then
    if answer[1] == 'appended' and answer[2] == folded + 1 then -- it waits since now, and was only not yet cleaned
      redis.call('ZADD', keys[4], args[7], args[6])
    else
      redis.call('ZADD', keys[4], 'NX', args[7], args[6])
    end
    -- a repeat has another nonce than the request on the record, so its bytes are not sent
    local request = answer[1] == 'appended' and string.format('\n%d\n', answer[2]) .. args[3] or '\n0\n'
    local whose = args[12] == '' and args[6] or args[6] .. ' ' .. args[12]
    local listeners = redis.call('SPUBLISH', args[9], whose .. request)
    if answer[1] == 'appended' then
      for i = 15, #args do
        redis.call('SPUBLISH', args[9], whose .. string.format('\n%d\n', answer[2] + i - 14) .. args[i])
      end
    end
    answer[4] = listeners == 0 and redis.call('SET', keys[5], '1', 'NX', 'PX', args[8]) and 1 or 0
  end
  return answer
end

-- keys | the key's field -> its value, written again because WAIT counts the replicas that have the last write
local function find_key(keys, args)
  local known = redis.call('HGET', keys[1], args[1])
  if known then
    redis.call('HSET', keys[1], args[1], known)
  end
  return known
end

-- Return whether *request* (SHA-1) is command n: a failover may have put another command there since.
local function is_command(commands, n, request)
  local entry = redis.call('XRANGE', commands, n, n)[1]
  return entry ~= nil and redis.sha1hex(entry[2][2]) == request
end

-- commits, head, marks, sealed, commands | n, prev, hash, commit, SHA-1 of the request it decides, frontier, channel
--   of those who follow the bucket, channel of who asked or of everybody, encounter, next prompt (one line), count of
--   marks, (name, value)..., (index, payload)... with rising indices
-- -> {committed} | {already} | {stale, folded, hash}
local function commit(keys, args)
  local commits, head, marks, sealed = keys[1], keys[2], keys[3], keys[4]
  local n, prev, hash = tonumber(args[1]), args[2], args[3]
  local now = redis.call('HMGET', head, 'appended', 'folded', 'hash', 'bytes')
  local appended, folded = tonumber(now[1] or '0'), tonumber(now[2] or '0')
  local head_hash = now[3] or ZERO_HASH
  if folded == n and head_hash == hash then
    return { 'already' }
  end
  if folded ~= n - 1 or head_hash ~= prev or appended < n or not is_command(keys[5], n, args[5]) then
    return { 'stale', folded, head_hash }
  end

  local first_sealed = 12 + 2 * tonumber(args[11])
  local bytes = tonumber(now[4] or '0') + #args[4]
  for i = first_sealed, #args, 2 do
    bytes = bytes + #args[i + 1]
  end
  redis.call('XADD', commits, entry_id(n, 0), 'r', args[4])
  redis.call('HSET', head, 'folded', n, 'hash', hash, 'frontier', args[6], 'bytes', bytes, 'run', run())
  for i = 12, first_sealed - 1, 2 do
    redis.call('HSET', marks, args[i], args[i + 1])
  end
  for i = first_sealed, #args, 2 do
    redis.call('XADD', sealed, entry_id(n, tonumber(args[i])), 'r', args[i + 1])
  end
  local outcome = args[9] .. '\n' .. args[1] .. '\n' .. args[10] .. '\n' .. args[4]
  redis.call('SPUBLISH', args[7], outcome)
  redis.call('SPUBLISH', args[8], outcome)
  return { 'committed' }
end

-- tally, encounters more, bytes more: counts the archived encounters of a bucket and the bytes of their files
local function count_archived(tally, encounters, bytes)
  local counted = redis.call('HMGET', tally, 'encounters', 'bytes')
  local many, all = tonumber(counted[1] or '0') + encounters, tonumber(counted[2] or '0') + bytes
  redis.call('HSET', tally, 'encounters', many, 'bytes', all)
end

-- archived, tally -> 1 if the encounter was archived, and is counted no longer
local function uncount_archived(archived, tally)
  local bytes = redis.call('HGET', archived, 'bytes')
  if not bytes then
    return 0
  end
  count_archived(tally, -1, -tonumber(bytes))
  return redis.call('DEL', archived)
end

-- archived, tally, head, all other keys but the secret | n, hash, entry, bytes of the file -> 1 if the encounter ended
--   with that commit, had nothing waiting, and its keys gave place to the entry
local function evict(keys, args)
  local head = redis.call('HMGET', keys[3], 'appended', 'folded', 'hash')
  if head[1] ~= args[1] or head[2] ~= args[1] or head[3] ~= args[2] then
    return 0
  end
  redis.call('HSET', keys[1], 'entry', args[3], 'bytes', args[4])
  count_archived(keys[2], 1, tonumber(args[4]))
  for i = 3, #keys do
    redis.call('DEL', keys[i])
  end
  return 1
end

-- archived, tally, drafts..., as many keys they become, the head first | entry or '', how many, over -> 1 if they took the
--   place of the entry and of an encounter with `over` commands and no commit (0: none); 0 if there is anything else
local function restore(keys, args)
  local count = tonumber(args[2])
  local entry = redis.call('HGET', keys[1], 'entry') or ''
  local there = redis.call('HMGET', keys[3 + count], 'appended', 'folded')
  if entry ~= args[1] or (there[1] or '0') ~= args[3] or (there[2] or '0') ~= '0' then
    for i = 3, 2 + count do
      redis.call('DEL', keys[i])
    end
    return 0
  end
  for i = 3, 2 + count do
    redis.call('RENAME', keys[i], keys[i + count])
  end
  uncount_archived(keys[1], keys[2])
  return 1
end

-- archived, tally -> 1 if there was an entry
local function drop_archived(keys)
  return uncount_archived(keys[1], keys[2])
end

-- tries | n -> how often n was tried, this time included
local function tried(keys, args)
  local count = 1
  if redis.call('HGET', keys[1], 'n') == args[1] then
    count = tonumber(redis.call('HGET', keys[1], 'count')) + 1
  end
  redis.call('HSET', keys[1], 'n', args[1], 'count', count)
  return count
end

-- dirty set, head | encounter -> 1 if it was removed from the set
local function clean(keys, args)
  local numbers = redis.call('HMGET', keys[2], 'appended', 'folded')
  if numbers[1] ~= numbers[2] then
    return 0
  end
  return redis.call('ZREM', keys[1], args[1])
end

-- state, head | n, field, prefix of the fields it replaces, value, bytes that are always allowed, the
--   share of the record's bytes that is allowed -> 1 if it was stored, 0 if there is no such commit or no room
local function put_derived(keys, args)
  local numbers = redis.call('HMGET', keys[2], 'folded', 'bytes', 'derived')
  if tonumber(args[1]) > tonumber(numbers[1] or '0') then
    return 0
  end
  local derived, replaced = tonumber(numbers[3] or '0') + #args[4], {}
  for _, other in ipairs(redis.call('HKEYS', keys[1])) do
    if string.sub(other, 1, #args[3]) == args[3] then
      derived = derived - #redis.call('HGET', keys[1], other)
      replaced[#replaced + 1] = other
    end
  end
  if derived > math.max(tonumber(args[5]), math.floor(tonumber(numbers[2] or '0') / tonumber(args[6]))) then
    return 0
  end
  if #replaced > 0 then
    redis.call('HDEL', keys[1], unpack(replaced))
  end
  redis.call('HSET', keys[1], args[2], args[4])
  redis.call('HSET', keys[2], 'derived', derived)
  return 1
end

-- lease | token, life (ms) -> 1 if the token has the lease now
local function hold(keys, args)
  local holder = redis.call('GET', keys[1])
  if holder and holder ~= args[1] then
    return 0
  end
  redis.call('SET', keys[1], args[1], 'PX', args[2])
  return 1
end

-- lease | token -> 1 if the token had the lease
local function release(keys, args)
  if redis.call('GET', keys[1]) ~= args[1] then
    return 0
  end
  return redis.call('DEL', keys[1])
end

-- records, order | id, record -> the record's number
local function put_record(keys, args)
  local number = redis.call('ZSCORE', keys[2], args[1])
  if not number then
    local last = redis.call('ZRANGE', keys[2], 0, 0, 'REV', 'WITHSCORES')
    number = tonumber(last[2] or '0') + 1
    redis.call('ZADD', keys[2], number, args[1])
  end
  redis.call('HSET', keys[1], args[1], args[2])
  return tonumber(number)
end

-- args: the number of the last record, then id and blob of each new one; answers 1 if they were put
local function append_records(keys, args)
  local last = redis.call('ZRANGE', keys[2], 0, 0, 'REV', 'WITHSCORES')
  local size = tonumber(last[2] or '0')
  if size ~= tonumber(args[1]) then return 0 end
  for at = 2, #args, 2 do
    if redis.call('HGET', keys[1], args[at]) then return 0 end
  end
  for at = 2, #args, 2 do
    size = size + 1
    redis.call('ZADD', keys[2], size, args[at])
    redis.call('HSET', keys[1], args[at], args[at + 1])
  end
  return 1
end

redis.register_function('rewound_12_append', function(keys, args) return (append(keys, args)) end)
redis.register_function('rewound_12_submit', submit)
redis.register_function('rewound_12_find_key', find_key)
redis.register_function('rewound_12_commit', commit)
redis.register_function('rewound_12_evict', evict)
redis.register_function('rewound_12_restore', restore)
redis.register_function('rewound_12_drop_archived', drop_archived)
redis.register_function('rewound_12_tried', tried)
redis.register_function('rewound_12_put_derived', put_derived)
redis.register_function('rewound_12_clean', clean)
redis.register_function('rewound_12_hold', hold)
redis.register_function('rewound_12_release', release)
redis.register_function('rewound_12_put_record', put_record)
redis.register_function('rewound_12_append_records', append_records)
