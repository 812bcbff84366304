package rest

import (
	"context"
	"net/http"

	"squelch/core/wire"
	"squelch/server/game"
	"squelch/server/reply"
)

// gameDo carries out actions of the game server, one after the other. A request whose
// answer the game server has not heard comes again with the same id.
func (h *Handler) gameDo(w http.ResponseWriter, r *http.Request, by caller) error {
	ctx, cancel := context.WithTimeout(r.Context(), doTimeout)
	defer cancel()
	step, err := h.decide(ctx, w, r, "POST /api/game/do", by)
	if err != nil {
		return err
	}
	caller, answers := by.asking().Login(), wire.GameResults{Success: true, Results: []wire.GameResult{}}
	for _, q := range step.Body.(*wire.GameDo).Requests {
		result, err := h.answers.Once(ctx, caller, q.ID, func() (wire.GameResult, bool) {
			if ctx.Err() != nil {
				return refused(q.ID, errNotTried), false
			}
			// What has begun is finished, so that its outcome is known when it comes again.
			own, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTimeout)
			defer cancel()
			out, err := h.desk.Do(own, step.By, q.Do, q.Args)
			if err == nil {
				return done(q, out), true
			}
			told := describe(err)
			if told.Status == http.StatusInternalServerError {
				h.o.Logf("rest: %s of the game server: %v", q.Do, err)
			}
			// Without a disk nothing has changed: it may work the next time.
			return refused(q.ID, told), told.Status != http.StatusServiceUnavailable || told == reply.ErrLate
		})
		if err != nil {
			result = refused(q.ID, errNotTried)
		}
		answers.Results = append(answers.Results, result)
	}
	if err := h.seen(ctx, &answers); err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, answers)
	return nil
}

// errNotTried refuses a request that there was no time for.
var errNotTried = &reply.Refusal{Status: http.StatusServiceUnavailable, Message: "There was no time for this request; send it again", Retry: pollRetry}

func done(q wire.GameRequest, out game.Outcome) wire.GameResult {
	result := wire.GameResult{ID: q.ID, OK: true, Reply: out.Reply}
	if q.Do == "refreshPlayerInfo" {
		result.Count = &out.Count
	}
	return result
}

func refused(id string, why *reply.Refusal) wire.GameResult {
	return wire.GameResult{ID: id, Error: why.Message, Code: why.Status}
}

// seen adds the position at which the effects are visible. It is that of all of them:
// the mirror takes them in their order.
func (h *Handler) seen(ctx context.Context, answers *wire.GameResults) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTimeout)
	defer cancel()
	at, err := h.o.Mirror.Position(ctx)
	if err != nil { // the same requests again are answered from memory
		return err
	}
	for i := range answers.Results {
		if answers.Results[i].OK {
			answers.Results[i].Seq = &at
		}
	}
	return nil
}
