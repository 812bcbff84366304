-- HTTP of the server: the answer comes whole, with a tick; a status of 400 or more has no
-- body, and its text follows the status in the fourth value.
local bios = ...
if bios.side ~= 'server' then return end
local waiting = {}

AddEventHandler('__cfx_internal:httpResponse', function(token, status, body, headers, failure)
  local f = waiting[token]
  waiting[token] = nil
  if f then f(status, body, headers, failure) end
end)

function PerformHttpRequest(url, callback, method, data, headers, options)
  local follow = true
  if options and options.followLocation ~= nil then follow = options.followLocation end
  local token = PerformHttpRequestInternalEx { url = url, method = method or 'GET', data = data or '', headers = headers or {}, followLocation = follow }
  if token ~= -1 then waiting[token] = callback else callback(0, nil, {}, 'Failure handling HTTP request') end
end

function PerformHttpRequestAwait(url, method, data, headers, options)
  local p = promise.new()
  PerformHttpRequest(url, function(...) p:resolve({ ... }) end, method, data, headers, options)
  return table.unpack(Citizen.Await(p))
end
