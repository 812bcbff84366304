package config

import (
	"context"
	"errors"
	"path/filepath"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// ForGame is what the game server needs to answer callbacks itself. The login of the
// dispatch panel may be in it: whoever gets it sees all NAC ids anyway.
type ForGame struct {
	File   string // name of the file, for its errors
	Source string // its text without the other secrets; every line at its place
}

// errSecretStays refuses a file whose secrets cannot be taken out of its text.
var errSecretStays = errors.New("its secrets cannot be taken out of it: " +
	"write Config.authToken, Config.adminPassword and Config.discord.clientSecret each as one string, or leave them out to have them generated")

// secretsOf are the values that no other program gets to see.
func secretsOf(config *lua.LTable) []string {
	secrets := []string{textAnswer(config.RawGetString("authToken")), textAnswer(config.RawGetString("adminPassword"))}
	if discord, ok := config.RawGetString("discord").(*lua.LTable); ok {
		secrets = append(secrets, textAnswer(discord.RawGetString("clientSecret")))
	}
	return secrets
}

// forGame makes what the game server gets of a file. That no secret is left is not
// assumed: the text is run once more, and its secrets must be gone.
func (s source) forGame(config *lua.LTable) (*ForGame, error) {
	secrets := secretsOf(config)
	text, err := sandbox.Redact(s.text, s.name, secrets)
	if err != nil {
		return nil, located(err)
	}
	L, again, _, err := source{text: text, name: s.name, limit: s.limit}.run(context.Background(), nil)
	if err != nil {
		return nil, &Error{File: s.name, Msg: errSecretStays.Error()}
	}
	defer L.Close()
	for i, left := range secretsOf(again) {
		if left != "" && left == secrets[i] {
			return nil, &Error{File: s.name, Msg: errSecretStays.Error()}
		}
	}
	return &ForGame{File: filepath.Base(s.name), Source: text}, nil
}
