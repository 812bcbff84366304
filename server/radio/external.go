package radio

import (
	"strings"

	"squelch/server/config"
	"squelch/server/rest"
)

// external is the login at an identity provider, when the configuration asks
// for it.
func external(on bool, d config.Discord) *rest.External {
	if !on {
		return nil
	}
	e := &rest.External{ClientID: d.ClientID, ClientSecret: d.ClientSecret, AuthorizeURL: d.AuthorizeURL,
		TokenURL: d.TokenURL, UserInfoURL: d.UserInfoURL, Scopes: d.Scopes, RedirectURL: d.RedirectURL,
		AllowedRoles: d.AllowedRoles, AllowedUsers: d.AllowedUsers, HTTPOnlyCookies: d.HTTPOnlyCookies, Only: d.Only}
	if d.GuildID != "" {
		e.MemberURL = strings.ReplaceAll(d.MemberURL, "{guild}", d.GuildID)
	}
	return e
}
