package sio

import (
	"slices"
	"sync"
)

// rooms tells which sockets are in which room. Joining and the last leave are
// atomic; senders work on a list that is made anew only after a change.
type rooms struct {
	mu    sync.RWMutex
	all   room
	named map[string]*room
	byID  map[string]*link
}

type room struct {
	members map[*link]struct{}
	list    []*link // of the members; nil: to be made. Never changed once made.
}

func (r *rooms) init() {
	r.all.members = map[*link]struct{}{}
	r.named = map[string]*room{}
	r.byID = map[string]*link{}
}

func (r *rooms) add(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[l.id] = l
	r.all.add(l)
}

// remove takes a socket out of everything.
func (r *rooms) remove(l *link) {
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

// join does nothing for a socket that is gone.
func (r *rooms) join(l *link, names []string) {
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
			one = &room{members: map[*link]struct{}{}}
			r.named[name] = one
		}
		one.add(l)
	}
}

func (r *rooms) leave(l *link, names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		r.leaveLocked(l, name)
	}
}

func (r *rooms) leaveLocked(l *link, name string) {
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

func (r *rooms) of(l *link) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := make([]string, 0, len(l.rooms))
	for name := range l.rooms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (r *rooms) link(id string) *link {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byID[id]
}

func (o *room) add(l *link) {
	o.members[l] = struct{}{}
	o.list = nil
}

func (o *room) remove(l *link) {
	delete(o.members, l)
	o.list = nil
}

// pick is who is in any of the rooms (none given: everyone) and in none of the
// excepted ones, but for the sockets with the ids in skip, which the caller
// leaves out. For one room or everyone it makes nothing new.
func (r *rooms) pick(names, except []string) (list []*link, skip []string) {
	if len(names) <= 1 {
		if list, ready := r.ready(names, except); ready {
			return list, except
		}
	}
	return r.collect(names, except), nil
}

func (r *rooms) collect(names, except []string) []*link {
	r.mu.Lock()
	defer r.mu.Unlock()
	var picked []*link
	if len(names) <= 1 {
		picked = slices.Clone(r.listLocked(names)) // which makes the room's list ready for the next call
	} else {
		seen := map[*link]bool{}
		for i := range names {
			for _, l := range r.listLocked(names[i : i+1]) {
				if !seen[l] {
					seen[l] = true
					picked = append(picked, l)
				}
			}
		}
	}
	return slices.DeleteFunc(picked, func(l *link) bool {
		return slices.ContainsFunc(except, func(name string) bool {
			_, in := l.rooms[name]
			return in || l.id == name
		})
	})
}

// ready is the list of a room that has not changed since the last call, where
// no exception is a room.
func (r *rooms) ready(names, except []string) (list []*link, ok bool) {
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

func (r *rooms) listLocked(names []string) []*link {
	one := &r.all
	if len(names) > 0 {
		if one = r.named[names[0]]; one == nil {
			if l := r.byID[names[0]]; l != nil {
				return []*link{l}
			}
			return nil
		}
	}
	if one.list == nil {
		one.list = make([]*link, 0, len(one.members))
		for l := range one.members {
			one.list = append(one.list, l)
		}
	}
	return one.list
}
