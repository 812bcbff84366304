package webhook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
)

// discordBody is what Discord documents of the body of "Execute Webhook", as far as we
// use it; any other key is a mistake.
type discordBody struct {
	Embeds []struct {
		Title       *string `json:"title"`
		Description *string `json:"description"`
		Timestamp   string  `json:"timestamp"`
		Color       *int    `json:"color"`
		Fields      []struct {
			Name, Value string
			Inline      bool
		} `json:"fields"`
		Footer *struct{ Text string } `json:"footer"`
	} `json:"embeds"`
	AllowedMentions *struct {
		Parse []string `json:"parse"`
	} `json:"allowed_mentions"`
	Content string `json:"content"`
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

// wrongForDiscord says what Discord's documentation does not allow in a body; "": nothing.
func wrongForDiscord(body []byte) string {
	var b discordBody
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return err.Error()
	}
	if b.Content == "" && len(b.Embeds) == 0 || len(b.Embeds) > 10 || units(b.Content) > 2000 {
		return "Cannot send an empty message"
	}
	if b.AllowedMentions == nil || b.AllowedMentions.Parse == nil || len(b.AllowedMentions.Parse) > 0 {
		return "somebody is pinged"
	}
	for _, e := range b.Embeds {
		total := 0
		for name, text := range map[string]*string{"title": e.Title, "description": e.Description} {
			most := map[string]int{"title": 256, "description": 4096}[name]
			if text != nil {
				if total += units(*text); units(*text) > most || strings.TrimSpace(*text) == "" {
					return fmt.Sprintf("%s has %d characters", name, units(*text))
				}
			}
		}
		if e.Title == nil && e.Description == nil {
			return "an empty embed"
		}
		if _, err := time.Parse(time.RFC3339, e.Timestamp); err != nil {
			return err.Error()
		}
		if e.Color == nil || *e.Color < 0 || *e.Color > 0xffffff {
			return "colour"
		}
		if len(e.Fields) > 25 {
			return "too many fields"
		}
		for _, f := range e.Fields {
			if total += units(f.Name) + units(f.Value); f.Name == "" || units(f.Name) > 256 || strings.TrimSpace(f.Value) == "" || units(f.Value) > 1024 {
				return fmt.Sprintf("field %q has %d characters", f.Name, units(f.Value))
			}
		}
		if e.Footer != nil {
			if total += units(e.Footer.Text); e.Footer.Text == "" || units(e.Footer.Text) > 2048 {
				return "footer"
			}
		}
		if total > 6000 {
			return fmt.Sprintf("%d characters in all", total)
		}
	}
	return ""
}

// discordServer answers as Discord documents it: 204, or 400 with code 50035.
func discordServer(t *testing.T) func(w http.ResponseWriter, r *http.Request, c call) {
	return func(w http.ResponseWriter, _ *http.Request, c call) {
		wrong := wrongForDiscord(c.body)
		if wrong == "" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		t.Errorf("%s: %s in %s", c.id, wrong, c.body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"message": "Invalid Form Body", "code": 50035, "errors": {"_errors": [{"code": "BASE_TYPE", "message": %q}]}}`, wrong)
	}
}

// TestDiscordTakesEveryEvent: every kind, with nothing in it and with far too much.
func TestDiscordTakesEveryEvent(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	r.does(discordServer(t))
	h := hookTo("discord", r.http.URL)
	h.Template = config.WebhookDiscord
	w.begin(h)
	long := strings.Repeat("𝄞*_\\@everyone ", 1000)
	n := 0
	for _, kind := range []string{core.MomentTransmission, core.MomentOverride, core.MomentAlert, core.MomentAlertCleared, core.MomentAlertOnce, core.MomentPanic, core.MomentPanicCleared,
		core.MomentEmergencyAcknowledged, core.MomentEmergencyEnded, core.MomentEmergencyClosed, core.MomentPatchOn, core.MomentPatchChanged, core.MomentPatchOff, core.MomentMoved,
		core.MomentDisconnected, core.MomentCallsign, core.MomentNac, core.MomentMessage, core.MomentBroadcast, core.MomentConnected, core.MomentLeft, core.MomentConfig,
		core.MomentLogin, core.MomentLogout, core.MomentLoginRefused, core.MomentHealth} {
		w.line.add(wire.TimelineEntry{Kind: kind, Detail: "  "}, wire.TimelineEntry{Kind: kind, ServerID: 12, Name: "Ann", UnitID: "4A-12", Frequency: "154.755", Detail: "what", Reason: "why"},
			wire.TimelineEntry{Kind: kind, ServerID: 12, Name: long, UnitID: long, Frequency: "154.755", PatchID: "p-1", ByName: long, Detail: long, Reason: long, EmergencyID: "e-1",
				Frequencies: strings.Fields(strings.Repeat("154.755 ", 300)), DurationMs: 2500, EndedAt: start.UnixMilli() + 2500})
		n += 3
	}
	for range n {
		r.next()
	}
	w.desk.Transcribed(wire.TimelineEntry{ID: "tx-1-1", Kind: core.MomentTransmission, At: start.UnixMilli(), Transcript: long})
	if sent, err := w.desk.Test(t.Context(), "discord"); err != nil || !sent.OK {
		t.Errorf("%+v, %v", sent, err)
	}
	w.until("taken", func(s wire.WebhookState, dead []wire.DeadLetter) bool { return s.Sent == n+1 && len(dead) == 0 })
}

// TestNobodyIsPingedByAName: a unit may be called anything.
func TestNobodyIsPingedByAName(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	r.does(discordServer(t))
	h := hookTo("discord", r.http.URL)
	h.Template = config.WebhookDiscord
	w.begin(h)
	w.line.add(wire.TimelineEntry{Kind: core.MomentPanic, Name: "@everyone <@1> **x** [a](https://evil.example.org) `c` ||s|| <:e:1> # h", UnitID: "4A-12", Frequency: "154.755"})
	var b discordBody
	if err := json.Unmarshal(r.next().body, &b); err != nil {
		t.Fatal(err)
	}
	title := *b.Embeds[0].Title
	if bare := regexp.MustCompile(`\\.`).ReplaceAllString(title, ""); strings.ContainsAny(bare, "*_~`|>#[]()<@\\") {
		t.Errorf("%q has marks that are not escaped", title)
	}
	if plain := strings.ReplaceAll(title, `\`, ""); plain != "PANIC: 4A-12 @everyone <@1> **x** [a](https://evil.example.org) `c` ||s|| <:e:1> # h" {
		t.Errorf("%q", plain)
	}
	if f := b.Embeds[0].Fields[0]; f.Name != "Channel" || f.Value != `Dispatch \(154.755\)` {
		t.Errorf("%+v", f)
	}
	if *b.Embeds[0].Color != 0xd92d20 || b.Embeds[0].Timestamp != "2023-11-14T22:13:20.000Z" || b.Embeds[0].Footer.Text != "Example" {
		t.Errorf("%+v", b.Embeds[0])
	}
}

// TestATransmissionThatWasCutOffSaysSo: its length is not taken for the whole.
func TestATransmissionThatWasCutOffSaysSo(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	r.does(discordServer(t))
	h := hookTo("discord", r.http.URL)
	h.Template = config.WebhookDiscord
	w.begin(h)
	for cut, want := range map[bool]string{false: "2.5 s", true: "2.5 s, cut off"} {
		w.line.add(wire.TimelineEntry{Kind: core.MomentTransmission, Name: "Ann", DurationMs: 2500, EndedAt: start.UnixMilli() + 2500, Cut: cut})
		var b discordBody
		if err := json.Unmarshal(r.next().body, &b); err != nil {
			t.Fatal(err)
		}
		if f := b.Embeds[0].Fields; len(f) != 1 || f[0].Name != "Length" || f[0].Value != want {
			t.Errorf("%+v, want %q", f, want)
		}
	}
}

// TestDiscordsLimitsAreKept: 429 with what Discord has in header and body.
func TestDiscordsLimitsAreKept(t *testing.T) {
	w := newWorld(t)
	r := newReceiver(t, w.clock)
	free := start
	r.does(func(rw http.ResponseWriter, q *http.Request, c call) {
		if left := free.Sub(c.at); left > 0 {
			rw.Header().Set("Content-Type", "application/json")
			rw.Header().Set("Retry-After", fmt.Sprint(int(left.Seconds())))
			rw.Header().Set("X-RateLimit-Scope", "shared")
			rw.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprintf(rw, `{"message": "You are being rate limited.", "retry_after": %f, "global": false}`, left.Seconds())
			return
		}
		free = c.at.Add(2500 * time.Millisecond)
		discordServer(t)(rw, q, c)
	})
	h := hookTo("discord", r.http.URL)
	h.Template = config.WebhookDiscord
	w.begin(h)
	for i := range 10 {
		w.line.add(alert(fmt.Sprint(i)))
	}
	w.until("sent", func(s wire.WebhookState, dead []wire.DeadLetter) bool { return s.Sent == 10 && len(dead) == 0 })
	if n := len(r.calls); n != 19 {
		t.Errorf("%d attempts for 10 events", n)
	}
}
