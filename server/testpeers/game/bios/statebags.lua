-- State bags: GlobalState, Player(id).state, Entity(handle).state, LocalPlayer.state.
local bios = ...

local function bag(name)
  local set = bios.native(function(key, value, replicated)
    bios.tell('bagset', bios.pack(value), name, key, replicated and true or false)
  end)
  return setmetatable({}, {
    __index = function(_, key)
      if key == 'set' then return function(_, k, v, replicated) set(k, v, replicated) end end
      return bios.unpack(bios.relay('bagget', nil, name, key))
    end,
    __newindex = function(_, key, value) set(key, value, bios.side == 'server') end,
  })
end

GlobalState = bag('global')

local function owner(noun, name)
  local meta = { __newindex = function() error('Setting values on ' .. noun .. ' is not supported at this time.', 2) end }
  meta.__index = function(t, key) if key == 'state' then return bag(name(rawget(t, 'id'))) end end
  return function(id) return setmetatable({ id = tonumber(id) }, meta) end
end

Player = owner('Player', function(id)
  if id == -1 then id = GetPlayerServerId(PlayerId()) end
  return ('player:%d'):format(id)
end)
Entity = owner('Entity', function(id) return ('entity:%d'):format(NetworkGetNetworkIdFromEntity(id)) end)
if bios.side == 'client' then LocalPlayer = Player(-1) end
