-- How often a client may do something: so many a second, with a burst. What is beyond is
-- dropped without a word, and counted for the operator.

local rate = { dropped = {} }
Radio.rate = rate

local buckets = {} -- player -> kind -> { level, at }

-- rate.allow takes one of a player's turns; false: there is none left.
function rate.allow(player, kind, perSecond, burst)
    local now = GetGameTimer()
    local mine = buckets[player]
    if not mine then
        mine = {}
        buckets[player] = mine
    end
    local b = mine[kind]
    if not b then
        b = { level = burst, at = now }
        mine[kind] = b
    end
    b.level = math.min(burst, b.level + math.max(0, now - b.at) * perSecond / 1000)
    b.at = now
    if b.level < 1 then
        rate.drop(player)
        return false
    end
    b.level = b.level - 1
    return true
end

-- rate.drop counts an event that was dropped.
function rate.drop(player)
    rate.dropped[player] = (rate.dropped[player] or 0) + 1
end

function rate.forget(player)
    buckets[player], rate.dropped[player] = nil, nil
end
