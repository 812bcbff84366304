-- NUI, the client's page: messages go out as JSON, and each callback of the page is an
-- event whose handler must answer once.
local bios = ...
if bios.side ~= 'client' then return end

function SendNUIMessage(message) SendNuiMessage(json.encode(message)) end

local function answer(kind, f)
  return function(body, result)
    local ok, why = pcall(f, body, result)
    if not ok then bios.trace('^1SCRIPT ERROR: error during NUI callback ' .. kind .. ': ' .. tostring(why) .. '^7\n') end
  end
end

function RegisterNUICallback(kind, f)
  RegisterNuiCallbackType(kind)
  AddEventHandler('__cfx_nui:' .. kind, answer(kind, f))
end
local register = RegisterNuiCallback
function RegisterNuiCallback(kind, f) register(kind, answer(kind, f)) end
