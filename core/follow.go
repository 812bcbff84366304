package core

type (
	// Follow lets a dispatcher hear a user on whatever frequency it talks.
	Follow struct{ User, Target UserID }
	// Unfollow ends that.
	Unfollow struct{ User, Target UserID }
)

func (c Follow) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	if !s.dispatchRight(u) {
		return forbidden("targetServerId", "Only dispatchers may follow users")
	}
	if s.user(c.Target) == nil || c.Target == c.User {
		return errUserNotFound("targetServerId")
	}
	if contains(u.Follows, c.Target) {
		return nil
	}
	if len(u.Follows) >= s.cfg.Limits.Follows {
		return &Error{Full, "targetServerId", "Too many followed users"}
	}
	s.addFollow(u, c.Target)
	s.tell(only(c.Target), FollowStarted(c))
	return nil
}

func (c Unfollow) apply(s *step) error {
	u, err := s.linked(c.User)
	if err != nil {
		return err
	}
	s.unfollow(u, c.Target)
	return nil
}

func (s *step) unfollow(u *User, target UserID) {
	if s.dropFollow(u, target) {
		s.tell(only(target), FollowEnded{User: u.ID, Target: target})
	}
}
