package core

import (
	"slices"
	"sort"
)

// roster holds the users. A user stays at its address for as long as the radio
// knows it: a *User is valid until remove, even if others come and go.
type roster struct {
	byID map[UserID]*User
	all  []*User // by ID
}

func newRoster(users []User) roster {
	r := roster{byID: map[UserID]*User{}}
	for i := range users {
		if r.byID[users[i].ID] == nil {
			r.add(users[i].clone())
		}
	}
	return r
}

func (r *roster) add(u User) *User {
	r.byID[u.ID] = &u
	addUser(&r.all, &u)
	return &u
}

func (r *roster) remove(u *User) {
	delete(r.byID, u.ID)
	dropUser(&r.all, u)
}

// dispatchers are the users with a negative id, the one nearest to -1 last.
func (r *roster) dispatchers() []*User {
	n, _ := findUser(r.all, 0)
	return r.all[:n]
}

// freeDispatcher is the id nearest to -1 that nobody has.
func (r *roster) freeDispatcher() UserID {
	taken := r.dispatchers()
	n := len(taken)
	// taken[n-1-i] is -1-i before the first gap and never after it, so the gap can
	// be found by bisection.
	return UserID(-1 - sort.Search(n, func(i int) bool { return taken[n-1-i].ID != UserID(-1-i) }))
}

// clone copies the users; nil when there is nobody.
func (r *roster) clone() []User {
	if len(r.all) == 0 {
		return nil
	}
	users := make([]User, len(r.all))
	for i, u := range r.all {
		users[i] = u.clone()
	}
	return users
}

// user finds a user; nil when there is none.
func (s *State) user(id UserID) *User { return s.users.byID[id] }

// The lists of users below are sorted by ID.

func findUser(list []*User, id UserID) (int, bool) {
	return slices.BinarySearchFunc(list, id, func(u *User, id UserID) int { return compare(u.ID, id) })
}

func addUser(list *[]*User, u *User) {
	if n, found := findUser(*list, u.ID); !found {
		*list = insert(*list, n, u)
	}
}

func dropUser(list *[]*User, u *User) {
	if n, found := findUser(*list, u.ID); found {
		*list = cutOut(*list, n)
	}
}

// union is everybody who is in any of the lists. Read only: the result may be one
// of the lists itself.
func union(lists ...[]*User) []*User {
	var all []*User
	for _, l := range lists {
		switch {
		case len(l) == 0:
		case len(all) == 0:
			all = l
		default:
			all = merge(all, l)
		}
	}
	return all
}

func merge(a, b []*User) []*User {
	both := make([]*User, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compare(a[0].ID, b[0].ID); {
		case c < 0:
			both, a = append(both, a[0]), a[1:]
		case c > 0:
			both, b = append(both, b[0]), b[1:]
		default:
			both, a, b = append(both, a[0]), a[1:], b[1:]
		}
	}
	return append(append(both, a...), b...)
}

func ids(users []*User) []UserID {
	if len(users) == 0 {
		return nil
	}
	all := make([]UserID, len(users))
	for i, u := range users {
		all[i] = u.ID
	}
	return all
}

// players are the players in a sorted list of users.
func players(users []*User) []*User {
	n, _ := findUser(users, 0)
	return users[n:]
}
