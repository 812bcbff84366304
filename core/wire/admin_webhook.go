//go:build !wasm

package wire

// MaxDeadLetters is the most dead letters in one reply.
const MaxDeadLetters = 200

// Shapes of the administration's webhooks. Times are ms since the epoch; 0: never.
type (
	// WebhookList is the webhooks of the configuration in its order, and the newest
	// dead letters of all of them, or of the one that was asked for, the newest first.
	WebhookList struct {
		Webhooks []WebhookState `json:"webhooks"`
		Dead     []DeadLetter   `json:"dead"`
	}
	// WebhookState is a webhook without its secret and address.
	WebhookState struct {
		Name      string   `json:"name"`
		URL       string   `json:"url"`             // its scheme and host only: the rest may be a secret
		Events    []string `json:"events"`          // that it is sent, in the order of the handbook
		Template  string   `json:"template"`        // json, discord, or a file's name
		State     string   `json:"state"`           // well, failing (tried again at Retry), stopped (Error says why; until the next start)
		Cursor    uint64   `json:"cursor"`          // number of the last entry of the timeline that is dealt with
		Behind    uint64   `json:"behind"`          // entries of the timeline that wait, not all of them for this webhook
		Sent      int      `json:"sent"`            // since the start
		LastOK    int64    `json:"lastOk"`          // since the start
		LastError int64    `json:"lastError"`       // since the start
		Error     string   `json:"error,omitempty"` // what went wrong at LastError
		Failures  int      `json:"failures"`        // attempts in a row that failed
		Retry     int64    `json:"retry,omitempty"` // when the next attempt is due
		Dead      int      `json:"dead"`            // letters that are kept
		Dropped   int      `json:"dropped"`         // dead letters that made room for newer ones, ever
	}
	// DeadLetter is what a webhook's receiver did not take.
	DeadLetter struct {
		Hook     string `json:"hook"`
		ID       string `json:"id"` // Squelch-Id
		Event    string `json:"event"`
		At       int64  `json:"at"`   // when it happened
		Died     int64  `json:"died"` // when it was given up
		Attempts int    `json:"attempts"`
		Error    string `json:"error"` // of the last attempt
		Body     string `json:"body"`  // as it was sent
	}
	// WebhookResend sends a dead letter once more, with its own id and a new signature.
	WebhookResend struct {
		Hook Text `json:"hook" wire:"required"`
		ID   Text `json:"id" wire:"required"`
	}
	// WebhookDiscard removes a dead letter; without ID, all of the webhook.
	WebhookDiscard struct {
		Hook Text `json:"hook" wire:"required"`
		ID   Text `json:"id,omitempty"`
	}
	WebhookDiscarded struct {
		Success bool `json:"success"`
		Removed int  `json:"removed"`
	}
	// WebhookTest sends an event of the kind "test".
	WebhookTest struct {
		Hook Text `json:"hook" wire:"required"`
	}
	// WebhookSent is what became of one attempt: OK, or Error says what went wrong.
	WebhookSent struct {
		Success bool   `json:"success"` // it was tried
		OK      bool   `json:"ok"`      // the receiver has taken it
		Status  int    `json:"status"`  // of the receiver's answer; 0: there was none
		Error   string `json:"error,omitempty"`
		Ms      int64  `json:"ms"` // how long it took
	}
)

// adminWebhookRoutes are the routes of the webhooks.
var adminWebhookRoutes = func() []Route {
	list := adminGet("/admin/api/webhooks", WebhookList{}, "Webhooks, how they are doing, and what could not be delivered")
	list.Query = []Parameter{{"hook", "string", "only this webhook's dead letters"}}
	return []Route{
		list,
		adminChange(post, "/admin/api/webhooks/resend", WebhookResend{}, WebhookSent{}, "Send a dead letter once more; one that is taken is removed", 404, 409),
		adminChange(post, "/admin/api/webhooks/discard", WebhookDiscard{}, WebhookDiscarded{}, "Remove a dead letter, or all of a webhook", 404),
		adminChange(post, "/admin/api/webhooks/test", WebhookTest{}, WebhookSent{}, "Send a webhook an event of the kind test", 404, 409),
	}
}()
