package sim

import (
	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
)

// secret stands for session ids and tokens. A simulation has none, and takes
// everybody's credentials as checked.
const secret = "simulated"

// without answers a step that has no command: its answer is known already, or it has a
// job that a service would do. A login succeeds with the NAC id of the dispatch panel;
// there are no files, no identity provider and no media plane.
func (r *Radio) without(at int64, step door.Step, q door.Request) Answer {
	a := r.Do(wire.Order{At: at})
	answer := step.Answer(core.Output{}, nil)
	switch step.Job {
	case door.Login, door.Reauth:
		answer.Body = wire.AuthReply{Success: true, SessionID: secret, AuthToken: secret}
		if step.Job == door.Login && step.Body.(door.Credentials).Nac != r.state.View().Config().DispatchNac {
			answer = step.Answer(core.Output{}, door.ErrWrongNac)
		}
	case door.Logout:
		for _, id := range door.Users(r.state.View(), q.By.Login()) {
			end := door.End(id, core.ByAdmin)
			_, ended, _ := r.step(wire.Order{At: at, By: end.By, Command: end.Command}) // refused if it has left by itself
			a = a.then(ended)
			a.Closed = append(a.Closed, id)
		}
	case door.File, door.ExternalLogin:
		answer = step.Answer(core.Output{}, door.Missing(step.Route()))
	case door.Themes:
		answer = step.Answer(core.Output{}, door.ErrNoPath)
	case door.Watch, door.Acts, door.Enrol:
		answer = step.Answer(core.Output{}, errNoGame)
	case door.Offer, door.Report:
		answer = step.Answer(core.Output{}, errNoMedia)
	case door.PlayerOffer:
		err := door.Known(r.state.View(), step.Body.(wire.GameOffer).ServerID.User)
		if err == nil {
			err = errNoMedia
		}
		answer = step.Answer(core.Output{}, err)
	case door.ToneFile:
		answer = step.Answer(core.Output{}, door.ErrNoSound)
	case door.Script:
		answer = step.Answer(core.Output{}, door.ErrNoScript)
	}
	return a.tell(answer)
}

var errNoGame = &core.Error{Kind: core.NotFound, Message: "A simulation has no game server"}

var errNoMedia = &core.Error{Kind: core.NotFound, Message: "A simulation has no media plane"}
