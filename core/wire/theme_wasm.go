package wire

// themeRoutes: the simulation's themes are files beside its page, and core.wasm is near
// its limit.
var themeRoutes []Route
