package core

type (
	// ArmGroup selects the announcement group that a dispatcher's master PTT
	// keys; "" disarms.
	ArmGroup struct {
		User  UserID
		Group string
	}
	// KeyGroup keys every channel of a group: each is granted or denied by its
	// own floor. "" means the armed one.
	KeyGroup struct {
		User     UserID
		Group    string
		Override bool
	}
)

func (s *State) announcement(id string) *AnnouncementGroup {
	for i := range s.cfg.AnnouncementGroups {
		if s.cfg.AnnouncementGroups[i].ID == id {
			return &s.cfg.AnnouncementGroups[i]
		}
	}
	return nil
}

func errGroupNotFound() error {
	return &Error{NotFound, "groupId", "Announcement group not found"}
}

func (c ArmGroup) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	if !s.dispatchRight(u) {
		return forbidden("groupId", "Only dispatchers make announcements")
	}
	if c.Group != "" && s.announcement(c.Group) == nil {
		return errGroupNotFound()
	}
	if u.Armed != c.Group {
		u.Armed = c.Group
		s.tell(only(c.User), GroupArmed(c))
	}
	return nil
}

func (c KeyGroup) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	if !s.dispatchRight(u) {
		return forbidden("groupId", "Only dispatchers make announcements")
	}
	id := c.Group
	if id == "" {
		id = u.Armed
	}
	g := s.announcement(id)
	if g == nil {
		return errGroupNotFound()
	}
	for _, f := range g.Frequencies {
		if _, _, err := s.keyable(KeyUp{User: c.User, Frequency: f}); err != nil {
			return err
		}
	}
	for _, f := range g.Frequencies {
		if err := (KeyUp{User: c.User, Frequency: f, Override: c.Override}).apply(s); err != nil {
			return err
		}
	}
	return nil
}
