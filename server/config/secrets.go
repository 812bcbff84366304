package config

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// placeholders are what example files have in place of a secret.
var placeholders = []string{"", "changeme", "change_me", "change-me", "change me"}

// publishedNac is the dispatch NAC id of a widely copied example file.
const publishedNac = "141"

// CheckSecrets refuses secrets that everybody knows, unless only this machine can
// reach the listen address or the operator allows it; then it warns. Call it after
// the secrets in cfg.Missing have been generated.
func CheckSecrets(listen string, cfg ServerConfig, allowDefault bool) (warnings []string, err error) {
	type secret struct {
		key, is string
		bad     []string
	}
	secrets := []secret{
		{"authToken", cfg.AuthToken, placeholders},
		{"dispatchNacId", cfg.DispatchNacID, append([]string{publishedNac}, placeholders...)},
		{"adminPassword", cfg.AdminPassword, placeholders},
	}
	if cfg.UseDiscordAuth {
		secrets = append(secrets, secret{"discord.clientSecret", cfg.Discord.ClientSecret, placeholders})
	}
	var found []string
	for _, s := range secrets {
		for _, bad := range s.bad {
			if strings.EqualFold(strings.TrimSpace(s.is), bad) {
				found = append(found, s.key)
				warnings = append(warnings, placeholderWarning(s.key, bad))
				break
			}
		}
	}
	if len(found) == 0 || allowDefault || loopback(listen) {
		return warnings, nil
	}
	return nil, fmt.Errorf("placeholder secrets on %s: change Config.%s, or remove them to have them generated (--allow-default-secrets starts anyway)",
		listen, strings.Join(found, ", Config."))
}

// shortToken is the length below which an operator's own master token causes a
// warning: 128 random bits are 22 characters of base64.
const shortToken = 20

// WarnOfShortToken returns a warning about a master token that could be guessed: no
// lock slows such guesses, because a valid token passes every lock. "": it is long
// enough, or a placeholder, which CheckSecrets names.
func WarnOfShortToken(cfg ServerConfig) string {
	token := strings.TrimSpace(cfg.AuthToken)
	if len(token) >= shortToken || slices.ContainsFunc(placeholders, func(p string) bool { return strings.EqualFold(token, p) }) {
		return ""
	}
	return fmt.Sprintf("authToken has only %d characters, and no lock-out slows down guesses at it: use a random one of at least %d, or remove it to have one generated",
		len(token), shortToken)
}

func placeholderWarning(key, is string) string {
	if is == "" {
		return key + " is empty: nobody can log in with it"
	}
	return key + " is a placeholder that everybody knows"
}

// loopback says whether a listen address is reachable from this machine only.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		host = listen
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLoopback()
}
