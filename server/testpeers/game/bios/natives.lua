-- Natives. A name that is not declared for this side is nil, as in the game; a declared
-- one that the simulator lacks is an error, so that a test never goes on with half a game.
local bios = ...

function GetCurrentResourceName() return bios.resource end
function IsDuplicityVersion() return bios.side == 'server' end
function GetHashKey(text)
  local h = 0
  for i = 1, #text do
    h = (h + text:lower():byte(i)) & 0xffffffff
    h = (h + (h << 10)) & 0xffffffff
    h = h ~ (h >> 6)
  end
  h = (h + (h << 3)) & 0xffffffff
  h = h ~ (h >> 11)
  h = (h + (h << 15)) & 0xffffffff
  return h >= 0x80000000 and h - 0x100000000 or h
end
joaat = GetHashKey

setmetatable(_G, { __index = function(_, name)
  if type(name) ~= 'string' or not name:find('^%u') then return nil end
  if not bios.host('declared', nil, name) then return nil end
  local f = bios.native(function(...)
    local results = bios.host('native', bios.args(...), name)
    return table.unpack(results, 1, math.max(1, #results))
  end)
  rawset(_G, name, f)
  return f
end })

if bios.side == 'server' then
  -- These three come from the game's own scheduler: no list of natives has them.
  function GetPlayers()
    local list = {}
    for i = 0, GetNumPlayerIndices() - 1 do list[#list + 1] = GetPlayerFromIndex(i) end
    return list
  end
  function GetPlayerIdentifiers(player)
    local list = {}
    for i = 0, GetNumPlayerIdentifiers(player) - 1 do list[#list + 1] = GetPlayerIdentifier(player, i) end
    return list
  end
  function GetPlayerTokens(player)
    local list = {}
    for i = 0, GetNumPlayerTokens(player) - 1 do list[#list + 1] = GetPlayerToken(player, i) end
    return list
  end
end
