package admin

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/nearest"
	"squelch/server/reply"
)

// accountKey begins the key of an account in the storage.
const accountKey = "account."

// AccountStorage keeps accounts; *store.Bucket is one.
type AccountStorage interface {
	All() map[string][]byte
	Change(ctx context.Context, put map[string][]byte, remove []string) error
}

// account is how one is stored. Times are ms since the epoch.
type account struct {
	Version int       `json:"v"` // 1
	Name    string    `json:"name"`
	Role    wire.Role `json:"role"`
	Salt    []byte    `json:"salt,omitempty"`
	Hash    []byte    `json:"hash,omitempty"` // of the password; none: the first owner's is the configuration's
	Created int64     `json:"created,omitempty"`
	Changed int64     `json:"changed,omitempty"`
}

// Accounts are who may use the administration. Methods may be called from any goroutine.
type Accounts struct {
	storage AccountStorage
	first   string // password of the first owner, unless it has another
	now     func() time.Time
	places  reply.Places // for hashing

	changing sync.Mutex // one change at a time; held while the disk works

	mu     sync.Mutex
	byName map[string]account   // by folded name
	seen   map[string]time.Time // last logins, by folded name
}

// OpenAccounts reads the accounts. first is the password of the configuration, or the
// generated one.
func OpenAccounts(storage AccountStorage, first string, now func() time.Time) (*Accounts, error) {
	a := &Accounts{storage: storage, first: first, now: now, places: make(reply.Places, hashPlaces), byName: map[string]account{}, seen: map[string]time.Time{}}
	for key, value := range storage.All() {
		if !strings.HasPrefix(key, accountKey) {
			continue
		}
		one, err := storedAccount(key, value)
		if err != nil {
			return nil, err
		}
		a.byName[fold(one.Name)] = one
	}
	if _, there := a.byName[wire.OwnerName]; !there {
		a.byName[wire.OwnerName] = account{Version: 1, Name: wire.OwnerName, Role: wire.RoleOwner}
	}
	return a, nil
}

func storedAccount(key string, value []byte) (one account, err error) {
	if err := json.Unmarshal(value, &one); err != nil {
		return one, fmt.Errorf("stored account %q: %w", key, err)
	}
	if one.Version != 1 || one.Name == "" || !slices.Contains(wire.Roles, one.Role) {
		return one, fmt.Errorf("stored account %q is of a newer version, or malformed", key)
	}
	return one, nil
}

// Follow takes what another service that shares the storage has changed.
func (a *Accounts) Follow(key string, value []byte, removed bool) error {
	name, is := strings.CutPrefix(key, accountKey)
	if !is {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if removed {
		delete(a.byName, name)
		return nil
	}
	one, err := storedAccount(key, value)
	if err == nil {
		a.byName[fold(one.Name)] = one
	}
	return err
}

// fold makes names that differ in case only the same.
func fold(name string) string { return strings.ToLower(name) }

// check says whose password it is. It takes equally long for right, wrong and unknown. The
// error says that too many are being checked.
func (a *Accounts) check(ctx context.Context, name, password string) (who account, right bool, err error) {
	leave, err := a.places.Take(ctx, hashWait, errLoginsBusy)
	if err != nil {
		return account{}, false, err
	}
	defer leave()
	a.mu.Lock()
	one, known := a.byName[fold(cmp.Or(name, wire.OwnerName))]
	a.mu.Unlock()
	if known && one.Hash == nil {
		hashOf(password, noSalt)
		return one, same(password, a.first), nil
	}
	salt := one.Salt
	if !known {
		salt = noSalt
	}
	got := hashOf(password, salt)
	if !known || subtle.ConstantTimeCompare(got, one.Hash) != 1 {
		return account{}, false, nil
	}
	return one, true, nil
}

func (a *Accounts) loggedIn(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen[fold(name)] = a.now()
}

// role is the role of an account now; "": there is none.
func (a *Accounts) role(name string) wire.Role {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byName[fold(name)].Role
}

// List gives all accounts, the first owner first.
func (a *Accounts) List() []wire.AdminAccount {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []wire.AdminAccount
	for _, one := range a.byName {
		all = append(all, a.shown(one))
	}
	slices.SortFunc(all, func(x, y wire.AdminAccount) int {
		if (x.Name == wire.OwnerName) != (y.Name == wire.OwnerName) {
			if x.Name == wire.OwnerName {
				return -1
			}
			return 1
		}
		return strings.Compare(fold(x.Name), fold(y.Name))
	})
	return all
}

// shown is an account as owners see it. The caller holds mu.
func (a *Accounts) shown(one account) wire.AdminAccount {
	out := wire.AdminAccount{Name: one.Name, Role: one.Role, Created: one.Created, Changed: one.Changed, File: one.Hash == nil}
	if at, seen := a.seen[fold(one.Name)]; seen {
		out.LastLogin = at.UnixMilli()
	}
	return out
}

// find returns an account, or a refusal with the nearest name.
func (a *Accounts) find(name string) (account, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, there := a.byName[fold(name)]
	if there {
		return one, nil
	}
	var names []string
	for _, other := range a.byName {
		names = append(names, other.Name)
	}
	slices.Sort(names)
	text := fmt.Sprintf("There is no account %q", name)
	if near := nearest.Name(name, names); near != "" {
		text += "; did you mean " + near + "?"
	}
	return account{}, &core.Error{Kind: core.NotFound, Field: "name", Message: text}
}

// Make makes an account with a generated password.
func (a *Accounts) Make(ctx context.Context, name string, role wire.Role) (password string, made wire.AdminAccount, err error) {
	a.changing.Lock()
	defer a.changing.Unlock()
	if name, err = core.Line("name", name, 1, wire.MaxAccountName); err != nil {
		return "", made, err
	}
	if err := known(role); err != nil {
		return "", made, err
	}
	a.mu.Lock()
	_, there := a.byName[fold(name)]
	full := len(a.byName) >= wire.MaxAccounts
	a.mu.Unlock()
	switch {
	case there:
		return "", made, &core.Error{Kind: core.Conflict, Field: "name", Message: fmt.Sprintf("There is an account %q already", name)}
	case full:
		return "", made, &core.Error{Kind: core.Conflict, Field: "name", Message: fmt.Sprintf("There are %d accounts, and there can be no more", wire.MaxAccounts)}
	}
	password = newPassword()
	one := account{Version: 1, Name: name, Role: role, Created: a.now().UnixMilli()}
	return password, made, a.put(ctx, a.withPassword(one, password), &made)
}

// Change gives an account another role, if role is not "", or a new password.
func (a *Accounts) Change(ctx context.Context, name string, role wire.Role, renew bool) (password string, changed wire.AdminAccount, err error) {
	a.changing.Lock()
	defer a.changing.Unlock()
	one, err := a.find(name)
	if err != nil {
		return "", changed, err
	}
	if role != "" {
		if err := known(role); err != nil {
			return "", changed, err
		}
		if one.Name == wire.OwnerName && role != wire.RoleOwner {
			return "", changed, errFirstOwner
		}
		one.Role = role
	}
	if renew {
		password = newPassword()
		one = a.withPassword(one, password)
	}
	return password, changed, a.put(ctx, one, &changed)
}

// SetPassword gives an account a password that somebody has chosen.
func (a *Accounts) SetPassword(ctx context.Context, name, password string) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	one, err := a.find(name)
	if err != nil {
		return err
	}
	switch n := len(password); {
	case n < wire.MinPassword || n > wire.MaxPassword:
		return &core.Error{Kind: core.Invalid, Field: "new", Message: fmt.Sprintf("The new password must have %d to %d characters", wire.MinPassword, wire.MaxPassword)}
	case strings.Contains(fold(password), fold(one.Name)) && len(password) < 2*wire.MinPassword:
		return &core.Error{Kind: core.Invalid, Field: "new", Message: "The new password must not contain the name"}
	}
	return a.put(ctx, a.withPassword(one, password), nil)
}

// Remove removes an account. The first owner stays, so that there is always one.
func (a *Accounts) Remove(ctx context.Context, name string) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	one, err := a.find(name)
	if err != nil {
		return err
	}
	if one.Name == wire.OwnerName {
		return errFirstOwner
	}
	if err := a.storage.Change(ctx, nil, []string{accountKey + fold(one.Name)}); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.byName, fold(one.Name))
	delete(a.seen, fold(one.Name))
	return nil
}

// put stores an account, and then has it. The caller holds changing.
func (a *Accounts) put(ctx context.Context, one account, shown *wire.AdminAccount) error {
	value, err := json.Marshal(one)
	if err != nil {
		return err
	}
	if err := a.storage.Change(ctx, map[string][]byte{accountKey + fold(one.Name): value}, nil); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byName[fold(one.Name)] = one
	if shown != nil {
		*shown = a.shown(one)
	}
	return nil
}

// known refuses what is no role.
func known(role wire.Role) error {
	if slices.Contains(wire.Roles, role) {
		return nil
	}
	return &core.Error{Kind: core.Invalid, Field: "role", Message: fmt.Sprintf("role must be owner, admin or viewer, not %.40q", role)}
}

// Refusals of accounts.
var (
	errFirstOwner = &core.Error{Kind: core.Conflict, Field: "name", Message: "The first owner cannot be removed or get another role: somebody must be able to come in"}
	errLoginsBusy = &reply.Refusal{Status: http.StatusTooManyRequests, Message: "Too many logins at once; try again later", Retry: hashWait}
	errOld        = &core.Error{Kind: core.Invalid, Field: "old", Message: "old is not the password of this account"}
)
