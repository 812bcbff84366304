package admin_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"squelch/core/wire"
	"squelch/server/admin"
	"squelch/server/audit"
)

// as logs in to an account.
func (s *station) as(name, word string) *browser {
	s.t.Helper()
	b := &browser{s: s}
	var in wire.AdminSession
	a := b.send("POST", "login", map[string]string{"name": name, "password": word})
	a.ok(&in)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		b.cookie = c.Value
	}
	b.csrf = in.CSRFToken
	return b
}

// makes an account, and returns its password.
func (b *browser) makes(name string, role wire.Role) string {
	b.s.t.Helper()
	var made wire.AdminAccountMade
	b.send("POST", "accounts", map[string]any{"name": name, "role": role}).ok(&made)
	if made.Account.Name != name || made.Account.Role != role || len(made.Password) < wire.MinPassword || made.Account.File {
		b.s.t.Fatalf("%+v", made)
	}
	return made.Password
}

// TestThePasswordOfTheFileIsTheFirstOwners, with its name and, as before there were
// accounts, without one.
func TestThePasswordOfTheFileIsTheFirstOwners(t *testing.T) {
	s := onAir(t)
	for _, name := range []string{"", "owner", "OWNER"} {
		b := s.as(name, password)
		var in wire.AdminSession
		b.send("GET", "session", nil).ok(&in)
		if in.Name != wire.OwnerName || in.Role != wire.RoleOwner {
			t.Errorf("as %q: %+v", name, in)
		}
	}
	(&browser{s: s}).send("POST", "login", `{"name":"ana","password":"`+password+`"}`).refused(401, "", "Wrong name or password")
}

// none are the webhooks of a configuration without any.
type none struct{}

func (none) List(string) (wire.WebhookList, error) {
	return wire.WebhookList{Webhooks: []wire.WebhookState{}, Dead: []wire.DeadLetter{}}, nil
}
func (none) Discard(context.Context, string, string) (int, error) { return 0, nil }
func (none) Test(context.Context, string) (wire.WebhookSent, error) {
	return wire.WebhookSent{}, nil
}
func (none) Resend(context.Context, string, string) (wire.WebhookSent, error) {
	return wire.WebhookSent{}, nil
}

// TestEveryRouteAsksForARole: a viewer looks at everything but accounts and changes nothing
// but its own password; an admin does everything but accounts.
func TestEveryRouteAsksForARole(t *testing.T) {
	s := onAir(t)
	s.hooks.Webhooks = none{}
	owner := s.logIn()
	viewer, hand := s.as("Vi", owner.makes("Vi", wire.RoleViewer)), s.as("Al", owner.makes("Al", wire.RoleAdmin))
	refused := 0
	for _, route := range wire.AdminRoutes {
		if route.Auth != wire.Admin || strings.HasSuffix(route.Path, "/logout") {
			continue
		}
		least := wire.LeastRole(route)
		for _, who := range []struct {
			*browser
			role wire.Role
		}{{viewer, wire.RoleViewer}, {hand, wire.RoleAdmin}} {
			s.clock.Pass(10e9) // for the rate
			var body any
			if route.Method != http.MethodGet {
				body = `{}`
			}
			a := who.send(route.Method, strings.TrimPrefix(route.Path, "/admin/api/"), body)
			denied := a.status == http.StatusForbidden && strings.Contains(string(a.body), "This needs the role "+string(least))
			if may := who.role.May(least); may == denied {
				t.Errorf("%s %s as %s: %d %.200s", route.Method, route.Path, who.role, a.status, a.body)
			}
			if denied {
				refused++
			}
		}
	}
	if refused < 20 {
		t.Errorf("%d refusals", refused)
	}
	hand.send("POST", "accounts", `{"name":"Eve","role":"owner"}`).refused(403, "", "This needs the role owner; the account Al has the role admin")
	if slices.ContainsFunc(s.audited(), func(e audit.Entry) bool { return e.Action == "admin.config.edit" }) {
		t.Error("somebody has edited")
	}
}

// TestAnAccountsLife: made, given another role, a new password, removed. Each ends its logins,
// and all is audited under the name of who did it.
func TestAnAccountsLife(t *testing.T) {
	s := onAir(t)
	owner := s.logIn()
	first := owner.makes("Ana", wire.RoleViewer)
	ana := s.as("ana", first)
	ana.send("GET", "users", nil).ok(&wire.AdminUserList{})
	var list wire.AdminAccountList
	owner.send("GET", "accounts", nil).ok(&list)
	if len(list.Accounts) != 2 || list.Accounts[0].Name != wire.OwnerName || !list.Accounts[0].File || list.Accounts[1].Name != "Ana" ||
		list.Accounts[1].Logins != 1 || list.Accounts[1].LastLogin == 0 || list.Accounts[1].Created == 0 {
		t.Errorf("%+v", list)
	}
	var changed wire.AdminAccountChanged
	owner.send("POST", "accounts/change", `{"name":"Ana","role":"owner"}`).ok(&changed)
	if changed.Account.Role != wire.RoleOwner || changed.Password != "" {
		t.Errorf("%+v", changed)
	}
	ana.send("GET", "users", nil).refused(401, "", "Authentication required")
	ana = s.as("Ana", first)
	ana.send("POST", "accounts/change", `{"name":"ana","newPassword":true}`).ok(&changed)
	ana.send("GET", "users", nil).ok(&wire.AdminUserList{}) // its own login stays
	(&browser{s: s}).send("POST", "login", `{"name":"Ana","password":"`+first+`"}`).refused(401, "", "Wrong name or password")
	ana.send("POST", "password", `{"old":"`+first+`","new":"a phrase of mine"}`).refused(400, "old", "not the password")
	ana.send("POST", "password", `{"old":"`+changed.Password+`","new":"short"}`).refused(400, "new", "10 to 256")
	ana.send("POST", "password", `{"old":"`+changed.Password+`","new":"ana-ana-ana"}`).refused(400, "new", "must not contain the name")
	ana.send("POST", "password", `{"old":"`+changed.Password+`","new":"a phrase of mine"}`).ok(&wire.Success{})
	ana = s.as("Ana", "a phrase of mine")
	ana.send("POST", "accounts/remove", `{"name":"Ana"}`).refused(409, "name", "your own account")
	owner.send("POST", "accounts/remove", `{"name":"Ana"}`).ok(&wire.Success{})
	ana.send("GET", "users", nil).refused(401, "", "Authentication required")
	owner.send("POST", "accounts/remove", `{"name":"Ana"}`).refused(404, "name", `There is no account "Ana"`)
	var by []string
	for _, e := range s.audited() {
		if strings.HasPrefix(e.Action, "admin.account") || e.Action == "admin.password" {
			by = append(by, e.Actor.Name+" "+e.Action+" "+e.Target)
		}
	}
	want := []string{"admin admin.account.create Ana", "admin admin.account.change Ana", "Ana admin.account.change Ana", "Ana admin.password Ana", "admin admin.account.remove Ana"}
	if !slices.Equal(by, want) {
		t.Errorf("audited: %q", by)
	}
}

// TestMistakesInAccounts name the field; the first owner always stays.
func TestMistakesInAccounts(t *testing.T) {
	s := onAir(t)
	owner := s.logIn()
	owner.makes("Ana", wire.RoleAdmin)
	for body, want := range map[string]struct {
		path, field, text string
		status            int
	}{
		`{"name":"ana","role":"viewer"}`:                             {"accounts", "name", `"ana" already`, 409},
		`{"name":"owner","role":"viewer"}`:                           {"accounts", "name", "already", 409},
		`{"name":"Ben","role":"boss"}`:                               {"accounts", "role", "owner, admin or viewer", 400},
		`{"name":"","role":"viewer"}`:                                {"accounts", "name", "name", 400},
		`{"name":"a\nb","role":"viewer"}`:                            {"accounts", "name", "name", 400},
		`{"name":"` + strings.Repeat("x", 33) + `","role":"viewer"}`: {"accounts", "name", "32", 400},
		`{"name":"owner","role":"admin"}`:                            {"accounts/change", "name", "first owner", 409},
		`{"name":"owner"}`:                                           {"accounts/remove", "name", "first owner", 409},
		`{"name":"Ann"}`:                                             {"accounts/remove", "name", "did you mean Ana?", 404},
		`{"name":"Ana"}`:                                             {"accounts/change", "role", "role or newPassword", 400},
	} {
		owner.send("POST", want.path, body).refused(want.status, want.field, want.text)
		s.clock.Pass(1e9)
	}
	for n := range wire.MaxAccounts - 2 {
		if _, _, err := s.accounts.Make(t.Context(), strings.Repeat("y", n%30+1)+string(rune('a'+n/30)), wire.RoleViewer); err != nil {
			t.Fatal(n, err)
		}
	}
	owner.send("POST", "accounts", `{"name":"One more","role":"viewer"}`).refused(409, "name", "64 accounts")
}

// TestAccountsOutliveTheService, as hashes. Without a disk none is made, and none is lost.
func TestAccountsOutliveTheService(t *testing.T) {
	s := onAir(t)
	owner := s.logIn()
	word := owner.makes("Ana", wire.RoleViewer)
	var changed wire.AdminAccountChanged
	owner.send("POST", "accounts/change", `{"name":"owner","newPassword":true}`).ok(&changed)
	for key, value := range s.vault.All() {
		if strings.Contains(string(value), word) || strings.Contains(string(value), changed.Password) {
			t.Errorf("%s has the password: %s", key, value)
		}
	}
	again, err := admin.OpenAccounts(s.vault, password, s.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	later := *s
	later.use(again)
	later.as("Ana", word)
	later.as("owner", changed.Password)
	(&browser{s: &later}).send("POST", "login", `{"password":"`+password+`"}`).refused(401, "", "Wrong name or password") // the file's is not the owner's any more
	s.vault.Break(errors.New("disk full"))
	if _, _, err := again.Make(t.Context(), "Ben", wire.RoleViewer); err == nil {
		t.Error("an account is made on a broken disk")
	}
	if err := again.Remove(t.Context(), "Ana"); err == nil {
		t.Error("an account is removed on a broken disk")
	}
	later.as("Ana", word)
}

// TestGuessesAtAccountsAreCounted together, whatever the name.
func TestGuessesAtAccountsAreCounted(t *testing.T) {
	s := onAir(t)
	owner := s.logIn()
	owner.makes("Ana", wire.RoleViewer)
	b := &browser{s: s}
	for n := range 10 {
		b.send("POST", "login", map[string]string{"name": []string{"Ana", "owner", "nobody"}[n%3], "password": "a guess"}).refused(401, "", "Wrong name or password")
	}
	if a := b.send("POST", "login", map[string]string{"name": "Ana", "password": "a guess"}); a.status != http.StatusTooManyRequests {
		t.Errorf("the eleventh guess: %d %s", a.status, a.body)
	}
}
