package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/server/session"
)

// newcomer is a player whom the game server announces.
type newcomer struct {
	core.Register
	body json.RawMessage // as it came
	keep bool            // a token that the player has stays valid
	err  error           // what is wrong with the body
}

// gamePlayers makes many players known to the radio and gives them tokens. With replace,
// those who were known before and are not listed have left the game.
func (h *Handler) gamePlayers(w http.ResponseWriter, r *http.Request, by caller) error {
	ctx, cancel := context.WithTimeout(r.Context(), enrolTimeout)
	defer cancel()
	step, err := h.decide(ctx, w, r, "POST /api/game/players", by)
	if err != nil {
		return err
	}
	list := step.Body.(*wire.GamePlayers)
	players := make([]newcomer, len(list.Players))
	for i, p := range list.Players {
		players[i] = newcomer{core.Register{User: p.ServerID.User, Facts: p.Facts()}, p.Body, list.KeepTokens, p.Err}
	}
	h.enrolling.Lock() // of two lists at once the later one counts as a whole
	defer h.enrolling.Unlock()
	var left []core.UserID
	if list.Replace {
		if left, err = h.missing(ctx, players); err != nil {
			return err
		}
	}
	tokens, refused, err := h.enrol(ctx, step.By, players, left)
	if err != nil {
		return err
	}
	answer := wire.GamePlayersReply{Success: true, Tokens: map[string]string{}, Errors: map[string]string{}}
	for id, token := range tokens {
		answer.Tokens[core.UserID(id).String()] = token
	}
	for id, why := range refused {
		answer.Errors[id.String()] = describe(why).Message
	}
	reply.JSON(w, http.StatusOK, answer)
	return nil
}

// enrol registers players, gives them tokens, and ends those who have left. refused are
// players whom the radio does not take, and why. After an error, a player who has no
// token and was not known before does not stay.
func (h *Handler) enrol(ctx context.Context, by core.Actor, players []newcomer, left []core.UserID) (tokens map[int]string, refused map[core.UserID]error, err error) {
	known := map[core.UserID]bool{}
	if err := h.o.Engine.View(ctx, func(v core.View) {
		for _, p := range players {
			_, known[p.User] = v.User(p.User)
		}
	}); err != nil {
		return nil, nil, err
	}
	joined, refused, err := h.registerAll(ctx, by, players)
	if err == nil {
		tokens, err = h.o.Sessions.Enrol(ctx, joined, numbers(left))
		for _, id := range left { // refused from now on, whatever could be stored
			_, _ = h.o.Engine.Do(context.WithoutCancel(ctx), by, core.Drop{User: id})
		}
	}
	if err == nil {
		return tokens, refused, nil
	}
	for _, j := range joined {
		if id := core.UserID(j.ServerID); !known[id] && tokens[j.ServerID] == "" {
			_, _ = h.o.Engine.Do(context.WithoutCancel(ctx), by, core.Drop{User: id})
		}
	}
	return nil, nil, err
}

// missing are the players who are known, to the radio or by a token, and not listed.
func (h *Handler) missing(ctx context.Context, listed []newcomer) (left []core.UserID, err error) {
	all := map[core.UserID]bool{}
	err = h.o.Engine.View(ctx, func(v core.View) {
		for _, id := range v.Players() {
			all[id] = true
		}
	})
	for id := range h.o.Sessions.Players() {
		all[core.UserID(id)] = true
	}
	for _, p := range listed {
		delete(all, p.User)
	}
	return wire.SortedKeys(all), err
}

func numbers(ids []core.UserID) (all []int) {
	for _, id := range ids {
		all = append(all, int(id))
	}
	return all
}

// registerAll registers players, some at a time: each of them waits for the operator's
// callbacks and for its clients to be told. The error is a failure of the service; why
// the radio refuses single players is in refused.
func (h *Handler) registerAll(ctx context.Context, by core.Actor, players []newcomer) (joined []session.Enrolled, refused map[core.UserID]error, err error) {
	var work sync.WaitGroup
	var mu sync.Mutex
	refused = map[core.UserID]error{}
	next := make(chan newcomer)
	for range min(enrolAtOnce, len(players)) {
		work.Go(func() {
			for p := range next {
				failed := h.register(ctx, by, p)
				mu.Lock()
				switch {
				case failed == nil:
					joined = append(joined, session.Enrolled{ServerID: int(p.User), Registration: p.body, Keep: p.keep})
				case describe(failed).Status < http.StatusInternalServerError: // about this player alone
					refused[p.User] = failed
				default:
					err = failed
				}
				mu.Unlock()
			}
		})
	}
	for _, p := range players {
		next <- p
	}
	close(next)
	work.Wait()
	return joined, refused, err
}

func (h *Handler) register(ctx context.Context, by core.Actor, p newcomer) error {
	if p.err != nil {
		return p.err
	}
	h.o.Joining(ctx, p.User, &p.Facts)
	_, err := h.o.Engine.Do(ctx, by, p.Register)
	return err
}
