-- Events. A name must be registered for the network before the other side may trigger
-- it; every handler runs in a thread of its own and shares its arguments' tables with
-- the other handlers of the same resource.
local bios = ...
local args, unpack = bios.args, bios.unpack
local entries, last = {}, 10

local function entry(name)
  if type(name) ~= 'string' then error('an event has a name of type string, not ' .. type(name), 3) end
  entries[name] = entries[name] or { handlers = {}, net = false }
  return entries[name]
end

function AddEventHandler(name, f)
  last = last + 1
  entry(name).handlers[last] = f
  bios.host('listen', nil, name)
  return { key = last, name = name }
end
function RemoveEventHandler(h)
  if not h or not h.key or not h.name then error('Invalid event data passed to RemoveEventHandler()', 2) end
  entries[h.name].handlers[h.key] = nil
end
function RegisterNetEvent(name, f)
  entry(name).net = true
  if f then return AddEventHandler(name, f) end
end
function TriggerEvent(name, ...) return bios.host('event', args(...), name) end

if bios.side == 'server' then
  RegisterServerEvent = RegisterNetEvent
  TriggerClientEvent = bios.native(function(name, player, ...)
    local payload = args(...)
    bios.cost.packed = bios.cost.packed + #payload
    bios.tell('clientevent', payload, name, player)
  end)
else
  function TriggerServerEvent(name, ...) bios.host('serverevent', args(...), name) end
end

--- event runs the handlers of a name. origin is '' for a local event, 'net:ID' for one
--- from the other side, 'internal-net:ID' for one of the engine about a player.
function bios.event(name, payload, origin)
  local e = entries[name]
  if not e then return end
  local before = source
  source = origin
  if origin:sub(1, 4) == 'net:' then
    if not e.net then
      bios.trace('event ' .. name .. ' was not safe for net\n')
      source = before
      return
    end
    source = tonumber(origin:sub(5))
  elseif origin:sub(1, 13) == 'internal-net:' then
    source = tonumber(origin:sub(14))
  end
  local data = unpack(payload)
  local keys = {}
  for key in pairs(e.handlers) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    local f = e.handlers[key]
    if f then Citizen.CreateThreadNow(function() f(table.unpack(data)) end) end
  end
  source = before
end
