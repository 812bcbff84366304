//go:build !wasm

package wire

import (
	"slices"
	"strings"
)

// Role is what an account of the administration may do.
type Role string

// The roles, each of which may do what the next one may.
const (
	RoleOwner  Role = "owner"  // accounts too
	RoleAdmin  Role = "admin"  // everything but accounts
	RoleViewer Role = "viewer" // look
)

// Roles is every role, the mightiest first.
var Roles = []Role{RoleOwner, RoleAdmin, RoleViewer}

// May says whether a role is enough where need is asked for.
func (r Role) May(need Role) bool {
	at := slices.Index(Roles, r)
	return at >= 0 && at <= slices.Index(Roles, need)
}

// OwnerName is the name of the first account. Its password is that of the configuration, or
// the generated one, until it is changed.
const OwnerName = "owner"

// Bounds of accounts.
const (
	// MaxAccounts is how many there may be: everybody who runs a large community, and room.
	MaxAccounts = 64
	// MinPassword and MaxPassword are bounds of a chosen password, in bytes. Ten guesses lock
	// an address out, so ten bytes are enough; a phrase has room.
	MinPassword, MaxPassword = 10, 256
	// MaxAccountName is the longest name, in characters: it is shown in the audit log.
	MaxAccountName = 32
)

// Shapes of accounts. Times are ms since the epoch; 0: never, or not known.
type (
	AdminAccountList struct {
		Accounts []AdminAccount `json:"accounts"` // the first owner first, then by name
	}
	AdminAccount struct {
		Name      string `json:"name"`
		Role      Role   `json:"role"`
		Created   int64  `json:"created"`
		Changed   int64  `json:"changed"`   // its password
		LastLogin int64  `json:"lastLogin"` // since the start of the service
		Logins    int    `json:"logins"`    // that are open now
		File      bool   `json:"file"`      // the password is the configuration's, or the generated one
	}
	AdminAccountMake struct {
		Name Text `json:"name" wire:"required"`
		Role Role `json:"role" wire:"required"`
	}
	// AdminAccountMade has the password, which is shown once and stored as a hash.
	AdminAccountMade struct {
		Success  bool         `json:"success"`
		Account  AdminAccount `json:"account"`
		Password string       `json:"password"`
	}
	// AdminAccountChange gives an account another role, or a new password.
	AdminAccountChange struct {
		Name        Text `json:"name" wire:"required"`
		Role        Role `json:"role,omitempty"`
		NewPassword bool `json:"newPassword,omitempty"` // make one
	}
	AdminAccountChanged struct {
		Success  bool         `json:"success"`
		Account  AdminAccount `json:"account"`
		Password string       `json:"password,omitempty"` // if one was made
	}
	AdminAccountRemove struct {
		Name Text `json:"name" wire:"required"`
	}
	// AdminPassword changes the caller's own password. Its other logins end.
	AdminPassword struct {
		Old Text `json:"old" wire:"required"`
		New Text `json:"new" wire:"required"`
	}
)

var adminAccountRoutes = []Route{
	withRole(adminGet("/admin/api/accounts", AdminAccountList{}, "Accounts of the administration; for owners")),
	withRole(adminChange(post, "/admin/api/accounts", AdminAccountMake{}, AdminAccountMade{}, "Make an account; its password is shown once; for owners", 409, 503)),
	withRole(adminChange(post, "/admin/api/accounts/change", AdminAccountChange{}, AdminAccountChanged{}, "Give an account another role or a new password, and end its logins; for owners", 404, 409, 503)),
	withRole(adminChange(post, "/admin/api/accounts/remove", AdminAccountRemove{}, Success{}, "Remove an account and end its logins; for owners", 404, 409, 503)),
	adminChange(post, "/admin/api/password", AdminPassword{}, Success{}, "Change one's own password, and end one's other logins", 503),
}

// withRole adds the refusal of a lesser role to a route that reads.
func withRole(r Route) Route {
	if !slices.Contains(r.Errors, 403) {
		r.Errors = append(r.Errors, 403)
		slices.Sort(r.Errors)
	}
	return r
}

// LeastRole is the least role that may use a route of the administration: to look, viewer;
// to change something, admin; for accounts, owner. One's own login and password are
// everybody's.
func LeastRole(r Route) Role {
	switch {
	case strings.HasPrefix(r.Path, "/admin/api/accounts"):
		return RoleOwner
	case r.Method == get, r.Path == "/admin/api/password", r.Path == "/admin/api/logout":
		return RoleViewer
	}
	return RoleAdmin
}
