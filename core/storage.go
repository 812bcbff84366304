package core

// SetStorage says that nothing can be stored just now, and why; an empty Reason
// says that storage works again. Only the service says so about its own disk: no
// client sends it.
type SetStorage struct{ Reason string }

func (c SetStorage) apply(s *step) error {
	if s.by.Surface != BySystem {
		return forbidden("", "Only the service itself may report its storage")
	}
	s.d.Storage = c.Reason
	return nil
}

// NeedsStorage says whether a command is refused while nothing can be stored: it
// makes something that has to outlive the service, and it can wait. Everything else
// goes on, voice and emergencies above all. A configuration is stored before it is
// put in force (ReplaceConfig), so that command is not among them.
func NeedsStorage(c Command) bool {
	switch c.(type) {
	case CreatePatch, RemovePatch, SetCallsign, SetNac, Register:
		return true
	}
	return false
}

// ErrStorage is the error, of kind Unavailable, for a command that is refused because
// nothing can be stored; reason says why.
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
