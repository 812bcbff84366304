package config

import "fmt"

// CheckExternal refuses an external login to which the provider could not send users
// back: the host name in a request can be forged, and is trusted only if just this
// machine can reach the service. note is for the start log, "" for none.
func CheckExternal(listen string, cfg ServerConfig) (note string, err error) {
	if !cfg.UseDiscordAuth {
		return "", nil
	}
	if cfg.Address == "" && !loopback(listen) {
		return "", fmt.Errorf("serverAddress is missing: useDiscordAuth on %s requires the address that browsers use, such as https://radio.example.org", listen)
	}
	if cfg.Discord.Only {
		return "", nil
	}
	return "the dispatch NAC id still logs in beside the external login, for bots and CAD systems; discord.only = true disables that", nil
}
