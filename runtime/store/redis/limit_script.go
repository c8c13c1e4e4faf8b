package redisstore

// The scripts of limits. All times are integers of µs by the server's clock; sums stay
// below 2^53, up to which the numbers of Lua are exact: see [numbers].
//
// A limit is four arguments: its algorithm, two numbers and what a request takes of it. Of
//
//   - a token bucket, the generic cell rate algorithm, they are the time between tokens, the
//     time of all that it holds, and the time of those taken. Its key is one number, the
//     moment at which it is full again.
//   - a sliding window they are tokens, time and tokens. Its key is a sorted set of "µs:n" by
//     µs, with the sum of all n as the score of "+", which is far below any moment.
//   - a counter they are the same. Its key is "window:in it:in the one before".
//
// A clock that steps back, as with a server that takes another's place, must not stop
// anybody: moments that lie further ahead than a limit allows are cut, those of a
// sliding window become the present.
//
//nolint:dupword // Blocks of Lua end with that word.
const limitFunctions = `
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local first = 100000000000000 -- no moment is before it, no sum above

local function digits(n) return string.format('%.0f', n) end

-- A key outlives what it knows by up to 2 ms, since the server counts in whole ones.
local function life(us) return digits(math.ceil(us / 1000) + 1) end

local function log_weight(m) return tonumber(string.match(m, ':(%d+)$')) end

local function log_set(key, at, n)
	redis.call('ZADD', key, digits(at), digits(at) .. ':' .. digits(n))
end

-- Makes one entry of each two, at the later moment: what was taken comes back late, never early.
local function log_merge(key)
	local list = redis.call('ZRANGEBYSCORE', key, first, '+inf', 'WITHSCORES')
	redis.call('ZREMRANGEBYSCORE', key, first, '+inf')
	for i = 1, #list, 4 do
		if list[i + 2] then
			log_set(key, tonumber(list[i + 3]), log_weight(list[i]) + log_weight(list[i + 2]))
		else
			log_set(key, tonumber(list[i + 1]), log_weight(list[i]))
		end
	end
end

local function log_add(key, at, n, per)
	local old = redis.call('ZRANGEBYSCORE', key, digits(at), digits(at))[1]
	local sum = n
	if old then
		sum = sum + log_weight(old)
		redis.call('ZREM', key, old)
	elseif redis.call('ZCARD', key) > 4096 then
		log_merge(key)
	end
	log_set(key, at, sum)
	redis.call('ZINCRBY', key, digits(n), '+')
	redis.call('PEXPIRE', key, life(per))
end

-- Forgets what was taken before the window, and gives the sum of the rest.
local function log_sum(key, per)
	local gone = redis.call('ZRANGEBYSCORE', key, first, digits(now - per))
	if #gone > 0 then
		local n = 0
		for _, m in ipairs(gone) do n = n + log_weight(m) end
		redis.call('ZREMRANGEBYSCORE', key, first, digits(now - per))
		redis.call('ZINCRBY', key, digits(-n), '+')
	end
	local ahead = redis.call('ZRANGEBYSCORE', key, '(' .. digits(now), '+inf')
	if #ahead > 0 then
		local n = 0
		for _, m in ipairs(ahead) do n = n + log_weight(m) end
		redis.call('ZREMRANGEBYSCORE', key, '(' .. digits(now), '+inf')
		redis.call('ZINCRBY', key, digits(-n), '+')
		log_add(key, now, n, per)
	end
	return tonumber(redis.call('ZSCORE', key, '+') or '0')
end

-- The time until so many of the window have come back.
local function log_wait(key, per, need)
	local at = 0
	while true do
		local list = redis.call('ZRANGEBYSCORE', key, first, '+inf', 'WITHSCORES', 'LIMIT', at, 128)
		if #list == 0 then return per end
		for i = 1, #list, 2 do
			need = need - log_weight(list[i])
			if need <= 0 then return tonumber(list[i + 1]) + per - now end
		end
		at = at + 128
	end
end

local function log_reset(key, per)
	local last = redis.call('ZREVRANGEBYSCORE', key, '+inf', first, 'WITHSCORES', 'LIMIT', 0, 1)
	if #last == 0 then return 0 end
	return tonumber(last[2]) + per - now
end

-- The present window's number, the time in it, what it holds and what the one before does.
local function counter(key, per)
	local off = now % per
	local index = (now - off) / per
	local i, cur, prev = string.match(redis.call('GET', key) or '', '^(%d+):(%d+):(%d+)$')
	if not i then return index, off, 0, 0 end
	i, cur, prev = tonumber(i), tonumber(cur), tonumber(prev)
	if i >= index then return index, off, cur, prev end
	if i == index - 1 then return index, off, 0, cur end
	return index, off, 0, 0
end

local function counter_set(key, per, index, off, cur, prev)
	redis.call('SET', key, digits(index) .. ':' .. digits(cur) .. ':' .. digits(prev), 'PX', life(2 * per - off))
end

-- The time in a window from which on no more than free of the one before counts.
local function counter_from(per, free, prev)
	if free < 0 then return per end
	if free >= prev then return 0 end
	return per - math.floor(per * free / prev)
end

local function counter_used(off, per, cur, prev)
	return cur + prev - math.floor(prev * off / per)
end

local function counter_reset(off, per, cur, prev)
	if cur > 0 then return 2 * per - off end
	if prev > 0 then return per - off end
	return 0
end

local function bucket(key, depth)
	return math.min(math.max(now, tonumber(redis.call('GET', key) or '0')), now + 2 * depth)
end

local function bucket_set(key, full)
	if full <= now then
		redis.call('DEL', key)
	else
		redis.call('SET', key, digits(full), 'PX', life(full - now))
	end
end
`

// takeScript takes four arguments for each of its keys. It answers 1 when all limits pass,
// and then took what they were asked for, otherwise 0; and for each limit whether it
// passes, its wait in µs (-1 is never), what remains, the µs until all is back, and the
// moment by which it may be settled.
//
//nolint:dupword // Blocks of Lua end with that word.
var takeScript = newScript(limitFunctions + `
local limits, all = {}, true
for i, key in ipairs(KEYS) do
	local l = {key = key, kind = ARGV[4 * i - 3], x = tonumber(ARGV[4 * i - 2]), y = tonumber(ARGV[4 * i - 1]), n = tonumber(ARGV[4 * i])}
	local wait = 0
	if l.kind == '0' then
		l.full = bucket(key, l.y)
		wait = l.full + l.n - now - l.y
		if l.n > l.y then wait = -1 elseif wait < 0 then wait = 0 end
	elseif l.kind == '1' then
		l.sum = log_sum(key, l.y)
		if l.n > l.x then
			wait = -1
		elseif l.sum + l.n > l.x then
			wait = log_wait(key, l.y, l.sum + l.n - l.x)
		end
	else
		l.index, l.off, l.cur, l.prev = counter(key, l.y)
		if l.n > l.x then
			wait = -1
		else
			local from = counter_from(l.y, l.x - l.cur - l.n, l.prev)
			if from < l.y then
				wait = math.max(0, from - l.off)
			else
				wait = l.y - l.off + counter_from(l.y, l.x - l.n, l.cur)
			end
		end
	end
	if l.n == 0 then wait = 0 end
	l.wait, l.ok = wait, wait == 0
	all = all and l.ok
	limits[i] = l
end
local out = {all and 1 or 0}
for _, l in ipairs(limits) do
	local left, reset, at
	if l.kind == '0' then
		if all and l.n > 0 then
			l.full = l.full + l.n
			bucket_set(l.key, l.full)
		end
		left, reset, at = math.floor((l.y - (l.full - now)) / l.x), l.full - now, l.full
	elseif l.kind == '1' then
		if all and l.n > 0 then
			l.sum = l.sum + l.n
			log_add(l.key, now, l.n, l.y)
		end
		left, reset, at = l.x - l.sum, log_reset(l.key, l.y), now
	else
		if all and l.n > 0 then
			l.cur = l.cur + l.n
			counter_set(l.key, l.y, l.index, l.off, l.cur, l.prev)
		end
		left, reset, at = l.x - counter_used(l.off, l.y, l.cur, l.prev), counter_reset(l.off, l.y, l.cur, l.prev), now
	end
	for _, v in ipairs({l.ok and 1 or 0, l.wait, math.max(0, left), math.max(0, reset), at}) do
		out[#out + 1] = v
	end
end
return out
`)

// settleScript takes the four arguments of a limit that was taken, what it is to cost in
// place of the fourth, and the moment that takeScript gave.
//
//nolint:dupword // Blocks of Lua end with that word.
var settleScript = newScript(limitFunctions + `
local key, kind, x, y = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local over, at = tonumber(ARGV[4]) - tonumber(ARGV[5]), tonumber(ARGV[6])
if kind == '0' then
	local full = bucket(key, y)
	if over > 0 then
		-- What time has brought back is not given a second time.
		local back = math.min(over, at - now)
		if back > 0 then bucket_set(key, full - back) end
	else
		bucket_set(key, math.max(full, math.min(full - over, now + 2 * y)))
	end
elseif kind == '1' then
	local sum = log_sum(key, y)
	if over > 0 then
		-- After a merge it stands at the next moment that is left.
		local m = redis.call('ZRANGEBYSCORE', key, digits(math.max(at, now - y + 1)), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
		if #m > 0 and at > now - y then
			local n = log_weight(m[1])
			local back = math.min(n, over)
			redis.call('ZREM', key, m[1])
			if n > back then log_set(key, tonumber(m[2]), n - back) end
			redis.call('ZINCRBY', key, digits(-back), '+')
		end
	else
		local owed = math.min(-over, 2 * x - sum)
		if owed > 0 then log_add(key, now, owed, y) end
	end
else
	local index, off, cur, prev = counter(key, y)
	local age = index - math.floor(at / y)
	if over > 0 and age == 0 then
		cur = math.max(0, cur - over)
	elseif over > 0 and age == 1 then
		prev = math.max(0, prev - over)
	elseif over < 0 then
		cur = cur + math.max(0, math.min(-over, 2 * x - counter_used(off, y, cur, prev)))
	end
	if cur + prev > 0 then
		counter_set(key, y, index, off, cur, prev)
	else
		redis.call('DEL', key)
	end
end
return {1}
`)
