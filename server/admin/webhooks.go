package admin

import (
	"context"
	"net/http"

	"squelch/core/wire"
	"squelch/server/reply"
)

// Webhooks are those of the configuration; *webhook.Desk is one. Errors are of the
// caller: *core.Error says which webhook or dead letter there is not, or what cannot be
// stored.
type Webhooks interface {
	// List is how all webhooks are doing, with the newest dead letters of one; "": of all.
	List(hook string) (wire.WebhookList, error)
	// Resend sends a dead letter once more, and removes it if it is taken.
	Resend(ctx context.Context, hook, id string) (wire.WebhookSent, error)
	// Discard removes a dead letter, or all of a webhook, and returns how many.
	Discard(ctx context.Context, hook, id string) (int, error)
	// Test sends an event of the kind test.
	Test(ctx context.Context, hook string) (wire.WebhookSent, error)
}

func (h *Handler) webhooks(w http.ResponseWriter, r *http.Request) error {
	out := wire.WebhookList{Webhooks: []wire.WebhookState{}, Dead: []wire.DeadLetter{}}
	if h.o.Webhooks != nil {
		var err error
		if out, err = h.o.Webhooks.List(r.URL.Query().Get("hook")); err != nil {
			return err
		}
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

func (h *Handler) resendLetter(w http.ResponseWriter, r *http.Request) error {
	var in wire.WebhookResend
	ctx, done, err := h.webhookChange(w, r, &in)
	if err != nil {
		return err
	}
	defer done()
	sent, err := h.o.Webhooks.Resend(ctx, string(in.Hook), string(in.ID))
	if err != nil {
		return err
	}
	h.noteDone(r, "admin.webhook.resend", string(in.Hook), map[string]any{"id": string(in.ID), "ok": sent.OK})
	reply.JSON(w, http.StatusOK, sent)
	return nil
}

func (h *Handler) discardLetters(w http.ResponseWriter, r *http.Request) error {
	var in wire.WebhookDiscard
	ctx, done, err := h.webhookChange(w, r, &in)
	if err != nil {
		return err
	}
	defer done()
	removed, err := h.o.Webhooks.Discard(ctx, string(in.Hook), string(in.ID))
	if err != nil {
		return err
	}
	h.noteDone(r, "admin.webhook.discard", string(in.Hook), map[string]any{"id": string(in.ID), "removed": removed})
	reply.JSON(w, http.StatusOK, wire.WebhookDiscarded{Success: true, Removed: removed})
	return nil
}

func (h *Handler) testWebhook(w http.ResponseWriter, r *http.Request) error {
	var in wire.WebhookTest
	ctx, done, err := h.webhookChange(w, r, &in)
	if err != nil {
		return err
	}
	defer done()
	sent, err := h.o.Webhooks.Test(ctx, string(in.Hook))
	if err != nil {
		return err
	}
	h.noteDone(r, "admin.webhook.test", string(in.Hook), map[string]any{"ok": sent.OK})
	reply.JSON(w, http.StatusOK, sent)
	return nil
}

// webhookChange reads the body of a change, which goes on if its caller leaves.
func (h *Handler) webhookChange(w http.ResponseWriter, r *http.Request, into any) (context.Context, context.CancelFunc, error) {
	if h.o.Webhooks == nil {
		return nil, nil, errNoWebhooks
	}
	b, err := body(w, r, maxSmallBody)
	if err != nil {
		return nil, nil, err
	}
	if err := wire.Decode(b, into); err != nil {
		return nil, nil, err
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(r.Context()), webhookTime)
	return ctx, done, nil
}
