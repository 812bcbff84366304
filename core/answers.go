package core

// Answers are what the operator's callbacks answered on the game server: callbacks that
// call exports of the game can only run there. They take precedence over the service's
// own evaluation, until the game server registers the player again.
type Answers struct {
	Access Choice     `json:"access,omitempty"` // Config.radioAccessCheck
	Nac    GameAnswer `json:"nac,omitzero"`     // Config.getUserNacId
	Name   GameAnswer `json:"name,omitzero"`    // Config.getPlayerName
}

// GameAnswer is a text; Given is false if the callback was not asked in the game. An
// empty text with Given set is an answer too: the player has none.
type GameAnswer struct {
	Given bool   `json:"given,omitempty"`
	Text  string `json:"text,omitempty"`
}

// Awaited are callbacks that the game server has yet to ask: until then its last answers
// about the player hold, so that nobody who was let in is shut out while the game
// resource restarts.
type Awaited struct {
	Access bool `json:"access,omitempty"`
	Nac    bool `json:"nac,omitempty"`
	Name   bool `json:"name,omitempty"`
}

// keeping fills in old answers for those that are awaited.
func (a Answers) keeping(old Answers, w Awaited) Answers {
	if w.Access && a.Access == Unsaid {
		a.Access = old.Access
	}
	if w.Nac && !a.Nac.Given {
		a.Nac = old.Nac
	}
	if w.Name && !a.Name.Given {
		a.Name = old.Name
	}
	return a
}

// answered puts the game server's answers in the place of the service's.
func (f Facts) answered() Facts {
	if f.Game.Access != Unsaid {
		f.Refused = f.Game.Access == No
	}
	if f.Game.Nac.Given {
		f.CallbackNac = f.Game.Nac.Text
	}
	if f.Game.Name.Given {
		f.CallbackName = f.Game.Name.Text
	}
	return f
}
