package core

// SetPositions says where players are. Unknown players are ignored: the game
// server's list may be older than a drop.
type SetPositions struct{ Positions []PlayerPosition }

// PlayerPosition is where a player is.
type PlayerPosition struct {
	User UserID   `json:"serverId"`
	At   Position `json:"at"`
}

func (c SetPositions) apply(s *step) error {
	for _, p := range c.Positions {
		if !p.User.Player() {
			return invalid("positions.serverId", "positions.serverId must be positive")
		}
		if !finite(p.At.X) || !finite(p.At.Y) || !finite(p.At.Z) {
			return invalid("positions", "positions must be finite numbers")
		}
	}
	moved := false
	for _, p := range c.Positions {
		if u := s.user(p.User); u != nil && s.setPosition(u, p.At) {
			moved = true
		}
	}
	s.unsettled = s.unsettled || moved
	return nil
}
