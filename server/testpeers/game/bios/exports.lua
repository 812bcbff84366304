-- Exports: an event asks for the function, the answer is kept until its resource stops.
local bios = ...
local function question(resource, name) return ('__cfx_export_%s_%s'):format(resource, name) end

local known = {}
local watching = false
local function watch() -- only who uses exports listens
  if watching then return end
  watching = true
  AddEventHandler(bios.side == 'server' and 'onServerResourceStop' or 'onClientResourceStop', function(resource) known[resource] = {} end)
end

local function results(resource, name, ok, ...)
  if ok then return ... end
  error(('\n^5 An error occurred while calling export `%s` in resource `%s`:\n%s\n^5 ---'):format(name, resource, tostring((...))), 2)
end

local function exported(resource)
  return setmetatable({}, {
    __index = function(_, name)
      watch()
      known[resource] = known[resource] or {}
      if not known[resource][name] then
        TriggerEvent(question(resource, name), function(f) known[resource][name] = f end)
        if not known[resource][name] then error('No such export ' .. tostring(name) .. ' in resource ' .. resource, 2) end
      end
      return function(_, ...) return results(resource, name, pcall(known[resource][name], ...)) end
    end,
    __newindex = function() error('cannot set values on an export resource', 2) end,
  })
end

exports = setmetatable({}, {
  __index = function(_, resource) return exported(resource) end,
  __newindex = function() error('cannot set values on exports', 2) end,
  __call = function(_, name, f)
    AddEventHandler(question(bios.resource, name), function(answer) answer(f) end)
  end,
})

--- published makes globals of the resource exports: `server_export` and `export` of a manifest.
function bios.published(names)
  for _, name in ipairs(names) do
    AddEventHandler(question(bios.resource, name), function(answer)
      if _G[name] then answer(_G[name]) end
    end)
  end
end
