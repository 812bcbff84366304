package core

// ArmGroup selects the announcement group that a dispatcher's master PTT keys;
// "" disarms. The console itself keys the group, with one KeyUp for each channel;
// each channel grants or denies its own floor.
type ArmGroup struct {
	User  UserID
	Group string
}

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
		return forbidden("groupId", "Only dispatchers may make announcements")
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
