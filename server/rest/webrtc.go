package rest

import (
	"context"
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

// webrtc connects a player's whole client over the WebRTC connection that the game
// server offers for it.
func (h *Handler) webrtc(w http.ResponseWriter, r *http.Request, by caller) error {
	ctx, cancel := context.WithTimeout(r.Context(), commandTimeout)
	defer cancel()
	step, err := h.decide(ctx, w, r, "POST /api/game/webrtc", by)
	if err != nil {
		return err
	}
	offer := step.Body.(wire.GameOffer)
	sdp, err := h.o.Offers.Offer(ctx, offer.ServerID.User, offer.SDP)
	if answer := step.Answer(core.Output{}, err); answer.Err != nil {
		return answer.Err
	}
	h.note(r, "player.webrtc", step.By.Name, map[string]any{"serverId": offer.ServerID.User})
	reply.JSON(w, http.StatusOK, wire.GameAnswer{Success: true, SDP: sdp})
	return nil
}

// noOffers is Options.Offers of a service without WebRTC.
type noOffers struct{}

func (noOffers) Offer(context.Context, core.UserID, string) (string, error) {
	return "", &core.Error{Kind: core.Unavailable, Message: "WebRTC is switched off on this server"}
}
