-- The operator's settings in server.cfg, and what is wrong with them in words.

local convars = {}
Radio.convars = convars

local function text(name, default)
    return (GetConvar(name, default or ''):match('^%s*(.-)%s*$'))
end

-- url is an address without the slash at its end; nil and a reason if it is none.
local function url(name, address)
    if not address:match('^https?://[^%s/]+') then
        return nil, ('%s must begin with http:// or https:// and name a host, not "%s"'):format(name, address)
    end
    if address:find('[%s"?#]') then
        return nil, ('%s must be an address alone, without spaces, ? and #: "%s"'):format(name, address)
    end
    return (address:gsub('/+$', ''))
end

-- names are those in a list with commas or spaces.
local function names(list)
    local set, any = {}, false
    for name in list:gmatch('[^%s,;]+') do
        set[name], any = true, true
    end
    return any and set or nil
end

-- convars.read reads them all. The list has what keeps the radio from working, then what
-- only deserves a word.
function convars.read()
    local mistakes, notes, why = {}, {}, nil
    convars.token = text('radio_token')
    if convars.token == '' then
        mistakes[#mistakes + 1] = 'radio_token is not set: put  set radio_token "…"  into server.cfg, before  ensure '
            .. GetCurrentResourceName() .. '. It is the master token of the service or a key with the scope game. If it is there: add_convar_permission must name '
            .. GetCurrentResourceName() .. '.'
    elseif convars.token:find('[%c%s]') then
        mistakes[#mistakes + 1] = 'radio_token has a space or a line break in it.'
    end
    -- The nodes of a cluster are several addresses with spaces between them.
    local addresses = text('radio_url', Radio.address)
    convars.urls = {}
    if addresses == '' then
        mistakes[#mistakes + 1] = 'radio_url is not set: put  set radio_url "http://127.0.0.1:7777"  into server.cfg, with the address of the service as this machine reaches it.'
    else
        for address in addresses:gmatch('%S+') do
            convars.urls[#convars.urls + 1], why = url('radio_url', address)
            mistakes[#mistakes + 1] = why
        end
        convars.url = convars.urls[1]
    end
    local public = text('radio_public_url')
    convars.public = nil
    if public ~= '' then
        convars.public, why = url('radio_public_url', public)
        notes[#notes + 1] = why
        if convars.public and not convars.public:find('^https://') then
            convars.public = nil
            notes[#notes + 1] = 'radio_public_url must be https:// to be of use: the game blocks anything else from the radio\'s page. Voice goes over WebRTC, which needs no certificate.'
        end
    end
    -- radio_callers limits who may change the radio of others; empty: every resource.
    convars.callers = names(text('radio_callers'))
    return mistakes, notes
end
