package session

import "container/list"

// recent is a map of bounded size: when it is full, the entry that has not been
// touched for longest makes room. It is not safe for concurrent use.
type recent[K comparable, V any] struct {
	max     int
	order   *list.List // of *entry[K, V]; front: touched longest ago
	entries map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any](limit int) *recent[K, V] {
	return &recent[K, V]{max: limit, order: list.New(), entries: map[K]*list.Element{}}
}

// get returns the value of key without touching it.
func (r *recent[K, V]) get(key K) (value V, found bool) {
	if element, ok := r.entries[key]; ok {
		return element.Value.(*entry[K, V]).value, true
	}
	return value, false
}

// put sets and touches key.
func (r *recent[K, V]) put(key K, value V) {
	if element, ok := r.entries[key]; ok {
		element.Value.(*entry[K, V]).value = value
		r.order.MoveToBack(element)
		return
	}
	if len(r.entries) >= r.max {
		r.remove(r.order.Front().Value.(*entry[K, V]).key)
	}
	r.entries[key] = r.order.PushBack(&entry[K, V]{key, value})
}

func (r *recent[K, V]) remove(key K) {
	if element, ok := r.entries[key]; ok {
		r.order.Remove(element)
		delete(r.entries, key)
	}
}
