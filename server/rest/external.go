package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"squelch/server/reply"
	"squelch/server/session"
)

// External is a login at an identity provider: OAuth 2 authorization code (RFC 6749,
// section 4.1) with PKCE (RFC 7636). It works with any provider that answers a GET
// with who the bearer of an access token is.
//
// Let in are the users that AllowedUsers lists and those with a role that
// AllowedRoles lists. If both are empty, MemberURL is required, and every member is
// let in; "*" in AllowedUsers lets in every account of the provider.
type External struct {
	ClientID, ClientSecret string // no secret: a public client (RFC 6749, section 2.1)
	AuthorizeURL, TokenURL string
	// UserInfoURL returns the user's id (sub or id) and names.
	UserInfoURL string
	// MemberURL, if given, returns the user's roles (roles or groups) and nick; 403 and
	// 404 mean that the user is not a member and is not let in.
	MemberURL    string
	Scopes       []string
	RedirectURL  string // ours, as the provider knows it; "": from the request
	AllowedRoles []string
	AllowedUsers []string
	// Only closes the login with the dispatch NAC id.
	Only bool
	// HTTPOnlyCookies hides the login's cookies from scripts.
	HTTPOnlyCookies bool
	// Panel is where the browser goes at the end. "": "/".
	Panel string
	// Client asks the provider. Nil: one with a time-out.
	Client *http.Client
}

type external struct {
	External
	oauth  oauth2.Config
	logins *session.Logins
}

func newExternal(e External, now func() time.Time) (*external, error) {
	for _, f := range []struct{ key, value string }{{"clientId", e.ClientID}, {"authorizeUrl", e.AuthorizeURL},
		{"tokenUrl", e.TokenURL}, {"userInfoUrl", e.UserInfoURL}} {
		if f.value == "" {
			return nil, fmt.Errorf("discord.%s is missing", f.key)
		}
	}
	if len(e.AllowedRoles)+len(e.AllowedUsers) == 0 && e.MemberURL == "" {
		return nil, errors.New(`discord.allowedRoles, discord.allowedUsers and discord.guildId are all empty: ` +
			`everybody with an account there could log in; if that is intended, set allowedUsers = { "*" }`)
	}
	if e.Panel == "" {
		e.Panel = "/"
	}
	if e.Client == nil {
		e.Client = &http.Client{Timeout: providerTimeout}
	}
	// The style is fixed, because finding it out by trial would use up a code.
	style := oauth2.AuthStyleInHeader
	if e.ClientSecret == "" {
		style = oauth2.AuthStyleInParams
	}
	logins, err := session.NewLogins(now)
	if err != nil {
		return nil, err
	}
	return &external{External: e, logins: logins, oauth: oauth2.Config{
		ClientID: e.ClientID, ClientSecret: e.ClientSecret, Scopes: e.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: e.AuthorizeURL, TokenURL: e.TokenURL, AuthStyle: style},
	}}, nil
}

// at is the client's configuration for a redirect to us.
func (x *external) at(base string) *oauth2.Config {
	c := x.oauth
	c.RedirectURL = x.RedirectURL
	if c.RedirectURL == "" {
		c.RedirectURL = base + callbackPath
	}
	return &c
}

// Errors of an external login, as the user reads them.
var (
	errProvider   = &reply.Refusal{Status: http.StatusBadGateway, Message: "The login service does not answer; try again later"}
	errRefused    = &reply.Refusal{Status: http.StatusUnauthorized, Message: "The login service refused this login"}
	errNacClosed  = &reply.Refusal{Status: http.StatusForbidden, Message: "The login with the NAC id is closed here; log in at /radio/dispatch/login"}
	errNotAllowed = &reply.Refusal{Status: http.StatusForbidden, Message: "This account may not dispatch here"}
)

// account is who has logged in at the provider.
type account struct {
	ID, Name string
	Roles    []string
}

// account exchanges a code and asks who the user is.
func (x *external) account(ctx context.Context, config *oauth2.Config, code, verifier string) (account, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, x.Client)
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		if answered := (*oauth2.RetrieveError)(nil); errors.As(err, &answered) && answered.Response.StatusCode < 500 {
			return account{}, errors.Join(errRefused, err)
		}
		return account{}, errors.Join(errProvider, err)
	}
	var who userInfo
	if err := x.ask(ctx, x.UserInfoURL, token, &who); err != nil {
		return account{}, err
	}
	a := who.account()
	if x.MemberURL != "" {
		var member userInfo
		if err := x.ask(ctx, x.MemberURL, token, &member); err != nil {
			return a, err
		}
		a.Name = firstOf(member.Nick, a.Name)
		a.Roles = append(a.Roles, member.account().Roles...)
	}
	if a.ID == "" {
		return a, errors.Join(errProvider, errors.New("its answer has no user id"))
	}
	if !x.allows(a) {
		return a, errNotAllowed
	}
	return a, nil
}

func (x *external) allows(a account) bool {
	if len(x.AllowedRoles)+len(x.AllowedUsers) == 0 {
		return true // a member: MemberURL has answered
	}
	return slices.Contains(x.AllowedUsers, "*") || slices.Contains(x.AllowedUsers, a.ID) ||
		slices.ContainsFunc(a.Roles, func(role string) bool { return slices.Contains(x.AllowedRoles, role) })
}

// ask fetches a JSON object as the bearer of token.
func (x *external) ask(ctx context.Context, address string, token *oauth2.Token, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.Join(errProvider, err)
	}
	token.SetAuthHeader(request)
	request.Header.Set("Accept", "application/json")
	answer, err := x.Client.Do(request)
	if err != nil {
		return errors.Join(errProvider, err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if address == x.MemberURL && (answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusForbidden) {
		return errNotAllowed
	}
	if answer.StatusCode != http.StatusOK {
		return errors.Join(errProvider, fmt.Errorf("%s answered %s", address, answer.Status))
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxUserInfo)).Decode(into); err != nil {
		return errors.Join(errProvider, fmt.Errorf("%s: %w", address, err))
	}
	return nil
}

// userInfo has the fields that providers use: OpenID Connect's claims, and those of
// Discord's user and guild member.
type userInfo struct {
	Sub      string   `json:"sub"`
	ID       string   `json:"id"`
	Nick     string   `json:"nick"`
	Global   string   `json:"global_name"`
	Name     string   `json:"name"`
	Username string   `json:"username"`
	Known    string   `json:"preferred_username"`
	Roles    []string `json:"roles"`
	Groups   []string `json:"groups"`
}

func (u userInfo) account() account {
	id := firstOf(u.Sub, u.ID)
	return account{ID: id, Name: firstOf(u.Nick, u.Global, u.Name, u.Known, u.Username, id), Roles: slices.Concat(u.Roles, u.Groups)}
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
