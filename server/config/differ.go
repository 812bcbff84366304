package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"squelch/core"
)

// serverKeys are the keys of the file behind the fields of ServerConfig. "": the field can
// change while the service runs, or is not a value of the file.
var serverKeys = map[string]string{
	"Port": "serverPort", "Address": "serverAddress", "LogLevel": "", "AuthToken": "authToken", "DispatchNacID": "dispatchNacId",
	"AdminPassword": "adminPassword", "Missing": "", "UseDiscordAuth": "useDiscordAuth", "Discord": "discord", "WebRTC": "webrtc",
	"TLS": "tls", "TrustedProxies": "trustedProxies", "Limits": "limits", "Scripts": "scripts", "Radios": "", "Themes": "themes",
	"Recording": "recording", "Webhooks": "webhooks", "ToneFolder": "toneFolder", "Transcriber": "transcriber", "Cluster": "cluster",
}

// fixedRules are the rules that parts of the service have taken from the file at the start.
var fixedRules = map[string]func(*core.Config) any{
	"resourceName": func(c *core.Config) any { return c.ResourceName },
	"resumeWindow": func(c *core.Config) any { return c.ResumeWindow },
}

// NeedsRestart returns the keys whose values in fresh differ from those that the service
// was started with, and that it takes at a start only, in alphabetical order.
func NeedsRestart(started, fresh *Loaded) (keys []string) {
	a, b := reflect.ValueOf(started.Server), reflect.ValueOf(fresh.Server)
	for i := range a.NumField() {
		if key := serverKeys[a.Type().Field(i).Name]; key != "" && !sameValue(a.Field(i).Interface(), b.Field(i).Interface()) {
			keys = append(keys, key)
		}
	}
	for key, of := range fixedRules {
		if of(&started.Core) != of(&fresh.Core) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Live is the rules of fresh as a service that runs can take them: with those of started
// that need a restart.
func Live(started, fresh core.Config) core.Config {
	fresh.ResourceName, fresh.ResumeWindow, fresh.DispatchNac = started.ResourceName, started.ResumeWindow, started.DispatchNac
	return fresh
}

// ChangedRules returns the keys of the rules that differ, in the order of core.Config. The
// access rules are called permissions.cfg.
func ChangedRules(from, to *core.Config) (keys []string) {
	a, b := reflect.ValueOf(*from), reflect.ValueOf(*to)
	for i := range a.NumField() {
		key, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
		if key == "acl" {
			key = "permissions.cfg"
		}
		if !alike(a.Field(i), b.Field(i)) {
			keys = append(keys, key)
		}
	}
	return keys
}

// alike is reflect.DeepEqual, except that an empty list is like none.
func alike(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// sameValue compares what the file says: exported fields, without the lines on which they
// are.
func sameValue(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
