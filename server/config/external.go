package config

import "fmt"

// CheckExternal refuses an external login that the provider could not send back
// to: what a request calls this host is the caller's word, and only on this
// machine is the caller the operator. note is for the start log, "" for none.
func CheckExternal(listen string, cfg ServerConfig) (note string, err error) {
	if !cfg.UseDiscordAuth {
		return "", nil
	}
	if cfg.Address == "" && !loopback(listen) {
		return "", fmt.Errorf("serverAddress is missing: with useDiscordAuth on %s it must be the address that browsers use, such as https://radio.example.org", listen)
	}
	if cfg.Discord.Only {
		return "", nil
	}
	return "the login with the dispatch NAC id stays open beside the external login, for bots and CAD systems; discord.only = true closes it", nil
}
