package config

// elsewhere are keys of the older product's Config that are no keys here, and what to do
// instead. Those of the player's radio are in client/config.lua of the game resource.
var elsewhere = map[string]string{
	"controls":         "keys are chosen by players: their defaults are RadioConfig.keys in client/config.lua of the game resource, and the convar radio_ptt_key",
	"keys":             ofRadio("keys"),
	"redmControls":     ofRadio("redmControls"),
	"animations":       ofRadio("animations"),
	"defaultAnimation": ofRadio("defaultAnimation"),
	"models":           ofRadio("models"),
	"defaultLayout":    ofRadio("defaultLayout"),
	"defaultTheme":     ofRadio("defaultTheme") + "; the console's theme is themes.default here",
	"startsOn":         ofRadio("startsOn"),
	"rememberChannel":  ofRadio("rememberChannel"),
	"hearNearby":       ofRadio("hearNearby"),
	"carUnit":          ofRadio("carUnit"),
	"checkForUpdates":  "the service looks for no updates: upgrade the package",
	"healthCheck":      "the service is asked instead: squelch health, or /readyz",
	"license":          "no licence key is needed",
	"licenseKey":       "no licence key is needed",
	"framework":        "the callbacks ask the framework themselves: getUserNacId, getPlayerName, radioAccessCheck",
}

func ofRadio(key string) string {
	return "it belongs in client/config.lua of the game resource, as RadioConfig." + key
}
