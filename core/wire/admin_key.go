//go:build !wasm

package wire

import "squelch/core"

// Shapes of the administration's API keys. Times are ms since the epoch.
type (
	AdminKeyList struct {
		Keys []AdminKey `json:"keys"`
	}
	// AdminKey is an API key without its secret. Its ID is not a credential.
	AdminKey struct {
		ID       string        `json:"id"`
		Name     string        `json:"name"`
		Scopes   []Scope       `json:"scopes"`
		Created  int64         `json:"created"`
		LastUsed int64         `json:"lastUsed"` // 0: never; up to an hour early after a restart
		Users    []core.UserID `json:"users"`    // connected with this key
	}
	AdminKeyCreate struct {
		Name   Text    `json:"name" wire:"required"`
		Scopes []Scope `json:"scopes" wire:"required"`
	}
	// AdminKeyCreated is the only reply that ever carries the key itself.
	AdminKeyCreated struct {
		Success bool   `json:"success"`
		Key     string `json:"key"`
		AdminKey
	}
	AdminKeyRevoke struct {
		ID Text `json:"id" wire:"required"`
	}
)

// adminKeyRoutes are the routes of the API keys.
var adminKeyRoutes = []Route{
	adminGet("/admin/api/keys", AdminKeyList{}, "API keys"),
	{Method: post, Path: "/admin/api/keys", Auth: Admin, Body: AdminKeyCreate{}, Reply: AdminKeyCreated{}, Status: 201,
		Errors: []int{400, 401, 403, 409, 413, 429, 503}, Extension: true, Doc: "Create an API key; it is shown only this once"},
	adminChange(post, "/admin/api/keys/revoke", AdminKeyRevoke{}, AdminRevoked{}, "End an API key and close its sockets", 404),
}
