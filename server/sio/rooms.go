package sio

import (
	"slices"
	"sync"
)

// rooms keeps which sockets are in which room. Joining and the last leave are atomic;
// senders use a list that is rebuilt only after a change.
type rooms struct {
	mu    sync.RWMutex
	all   room
	named map[string]*room
	byID  map[string]*outlet
}

type room struct {
	members map[*outlet]struct{}
	list    []*outlet // of the members; nil: to be rebuilt. Never changed once built.
}

func (r *rooms) init() {
	r.all.members = map[*outlet]struct{}{}
	r.named = map[string]*room{}
	r.byID = map[string]*outlet{}
}

func (r *rooms) add(l *outlet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[l.id] = l
	r.all.add(l)
}

// remove takes a socket out of every room.
func (r *rooms) remove(l *outlet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, here := r.byID[l.id]; !here {
		return
	}
	delete(r.byID, l.id)
	r.all.remove(l)
	for name := range l.rooms {
		r.leaveLocked(l, name)
	}
}

// join does nothing for a socket that has ended.
func (r *rooms) join(l *outlet, names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, here := r.byID[l.id]; !here {
		return
	}
	for _, name := range names {
		if _, in := l.rooms[name]; in {
			continue
		}
		if l.rooms == nil {
			l.rooms = map[string]struct{}{}
		}
		l.rooms[name] = struct{}{}
		one := r.named[name]
		if one == nil {
			one = &room{members: map[*outlet]struct{}{}}
			r.named[name] = one
		}
		one.add(l)
	}
}

func (r *rooms) leave(l *outlet, names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		r.leaveLocked(l, name)
	}
}

func (r *rooms) leaveLocked(l *outlet, name string) {
	if _, in := l.rooms[name]; !in {
		return
	}
	delete(l.rooms, name)
	one := r.named[name]
	one.remove(l)
	if len(one.members) == 0 {
		delete(r.named, name)
	}
}

func (r *rooms) of(l *outlet) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, 0, len(l.rooms))
	for name := range l.rooms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (r *rooms) outlet(id string) *outlet {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byID[id]
}

func (o *room) add(l *outlet) {
	o.members[l] = struct{}{}
	o.list = nil
}

func (o *room) remove(l *outlet) {
	delete(o.members, l)
	o.list = nil
}

// pick returns who is in any of the rooms (none given: everyone) and in none of the
// excepted ones. The caller leaves out the sockets with the ids in skip. For one room
// or everyone it allocates nothing.
func (r *rooms) pick(names, except []string) (list []*outlet, skip []string) {
	if len(names) <= 1 {
		if list, ready := r.ready(names, except); ready {
			return list, except
		}
	}
	return r.collect(names, except), nil
}

func (r *rooms) collect(names, except []string) []*outlet {
	r.mu.Lock()
	defer r.mu.Unlock()
	var picked []*outlet
	if len(names) <= 1 {
		picked = slices.Clone(r.listLocked(names)) // this makes the room's list ready for the next call
	} else {
		seen := map[*outlet]bool{}
		for i := range names {
			for _, l := range r.listLocked(names[i : i+1]) {
				if !seen[l] {
					seen[l] = true
					picked = append(picked, l)
				}
			}
		}
	}
	return slices.DeleteFunc(picked, func(l *outlet) bool {
		return slices.ContainsFunc(except, func(name string) bool {
			_, in := l.rooms[name]
			return in || l.id == name
		})
	})
}

// ready returns the list of a room that has not changed since the last call, if no
// exception is a room.
func (r *rooms) ready(names, except []string) (list []*outlet, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, name := range except {
		if r.named[name] != nil {
			return nil, false
		}
	}
	if len(names) == 0 {
		return r.all.list, r.all.list != nil
	}
	if one := r.named[names[0]]; one != nil {
		return one.list, one.list != nil
	}
	return nil, r.byID[names[0]] == nil
}

func (r *rooms) listLocked(names []string) []*outlet {
	one := &r.all
	if len(names) > 0 {
		if one = r.named[names[0]]; one == nil {
			if l := r.byID[names[0]]; l != nil {
				return []*outlet{l}
			}
			return nil
		}
	}
	if one.list == nil {
		one.list = make([]*outlet, 0, len(one.members))
		for l := range one.members {
			one.list = append(one.list, l)
		}
	}
	return one.list
}
