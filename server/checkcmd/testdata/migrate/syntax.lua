Config = {
    serverPort = 7777,
    // not a comment in Lua
}
