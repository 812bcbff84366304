package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"squelch/server/internal/contract"
)

// unheard are events that no story leads to, and where they are tested.
var unheard = map[string]string{
	"nodes":         "needs several nodes; its example is held against the document in core/wire",
	"configRefresh": "needs the administration; TestAPlayersWholeClientOverWebRTC holds it against the document",
	"voice":         "needs voice; TestAPlayersWholeClientOverWebRTC holds it against the document",
	"webrtc:slots":  "needs a media connection; TestAPlayersWholeClientOverWebRTC holds it against the document",
	"webrtc:closed": "needs a media connection that breaks; its example is held against the document in core/wire",
}

// fitsTheDocument holds an event against the document; text is ["name", payload, …].
func fitsTheDocument(t *testing.T, text string) (name string) {
	t.Helper()
	c, err := contract.Load()
	if err != nil {
		t.Fatal(err)
	}
	var parts []json.RawMessage
	if err := json.Unmarshal([]byte(text), &parts); err != nil || len(parts) == 0 || json.Unmarshal(parts[0], &name) != nil {
		t.Fatalf("%.200q is no event (%v)", text, err)
	}
	if strings.HasPrefix(name, "#") { // of the channel itself: an acknowledgement, a goodbye
		return name
	}
	var payload json.RawMessage
	if len(parts) > 1 {
		payload = parts[1]
	}
	if err := c.Event(name, payload); err != nil {
		t.Error(err)
	}
	return name
}

// checkSeen is called when all stories were told: each event of the service was heard, and
// fits its schema.
func checkSeen(t *testing.T, c *contract.Contract) {
	t.Helper()
	for _, name := range c.Events() {
		switch seen := c.SeenEvent(name); {
		case !seen && unheard[name] == "":
			t.Errorf("no story leads to the event %s", name)
		case seen && unheard[name] != "":
			t.Errorf("a story leads to the event %s: it needs no excuse", name)
		}
	}
	for _, r := range corpusRoutes {
		name := r.Method + " " + r.Path
		if c.Promises(name, r.Status) && !c.SeenReply(name) && uncovered["good "+name] == "" {
			t.Errorf("no story has the answer of %s", name)
		}
	}
}

// TestARenamedFieldIsFound: the check would see it, required or not.
func TestARenamedFieldIsFound(t *testing.T) {
	c, err := contract.Load()
	if err != nil {
		t.Fatal(err)
	}
	const talking = `{"serverId":7,"frequency":"154.755","state":true}`
	for payload, fits := range map[string]bool{talking: true, strings.Replace(talking, "frequency", "channel", 1): false, strings.Replace(talking, "7", `"7"`, 1): false,
		strings.Replace(talking, "}", `,"colour":"red"}`, 1): false, "null": false} {
		if err := c.Fits("talkingState", []byte(payload)); (err == nil) != fits {
			t.Errorf("%s: %v", payload, err)
		}
	}
	if err := c.Reply("GET /api/health", 200, []byte(`{"stats":"ok"}`)); err == nil {
		t.Error("a renamed field of a reply was not found")
	}
	if err := c.Event("talkState", nil); err == nil {
		t.Error("an event that does not exist was not found")
	}
}
