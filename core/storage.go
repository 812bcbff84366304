package core

// SetStorage says that nothing can be stored just now, and why, or with an
// empty Reason that it can be again. It is the service's word about its own
// disk: no client sends it.
type SetStorage struct{ Reason string }

func (c SetStorage) apply(s *step) error {
	if s.by.Surface != BySystem {
		return forbidden("", "Only the service itself knows its storage")
	}
	s.d.Storage = c.Reason
	return nil
}

// NeedsStorage says whether a command makes something that has to outlive the
// service and that can wait: it is refused while nothing can be stored. All
// else goes on then, an emergency and the voice before all. A configuration is
// stored before it is put in force (ReplaceConfig), so it does not count.
func NeedsStorage(c Command) bool {
	switch c.(type) {
	case CreatePatch, RemovePatch, SetCallsign, SetNac, Register:
		return true
	}
	return false
}

// ErrStorage refuses what cannot be stored, and says why.
func ErrStorage(reason string) *Error {
	return &Error{Unavailable, "", "Storage unavailable: " + reason}
}

// stored refuses a command that needs storage while there is none.
func (s *State) stored(c Command) error {
	if s.d.Storage != "" && NeedsStorage(c) {
		return ErrStorage(s.d.Storage)
	}
	return nil
}
