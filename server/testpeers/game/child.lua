-- A VM behind two pipes. A frame is 4 bytes of length and a kind: C calls, R answers,
-- E answers with an error; calls nest.
local folder, resource, side, instance, parts = table.unpack(arg)
local input, output = io.stdin, io.stdout
output:setvbuf('full')

local function send(kind, bytes)
  output:write(string.pack('<I4', #bytes + 1), kind, bytes)
  output:flush()
end
local exit = os.exit
local function receive()
  local length = input:read(4)
  if not length then exit(0) end
  local frame = input:read((string.unpack('<I4', length)))
  return frame:sub(1, 1), frame:sub(2)
end

local bios = { resource = resource, side = side, instance = math.tointeger(instance) }
local function enter(bytes)
  local ok, answer = pcall(bios.enter, bytes)
  send(ok and 'R' or 'E', ok and answer or tostring(answer))
end
function bios.cross(bytes)
  send('C', bytes)
  while true do
    local kind, answer = receive()
    if kind == 'R' then return answer elseif kind == 'E' then error(answer, 0) end
    enter(answer)
  end
end

local loadfile = loadfile
for name in parts:gmatch('[^,]+') do
  local chunk = assert(loadfile(folder .. '/' .. name .. '.lua'))
  chunk(bios)
end
arg = nil
send('R', '') -- loaded
while true do
  local _, bytes = receive()
  enter(bytes)
end
