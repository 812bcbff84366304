package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"squelch/server/testpeers"
)

// accepted lists where socket.io-client may see something else from us than
// from Node. The key is scenario/field path, for every transport.
var accepted = map[string]difference{
	"endings/client sends what cannot be parsed/server": {
		node: "forced close", ours: "parse error",
		why: "Node names the last thing it did, we name the cause; only the server's own handler sees it"},
	"endings/client sends an unknown engine packet/server": {
		node: "transport error", ours: "parse error",
		why: "the same"},
}

type difference struct{ node, ours, why string }

// TestJavaScriptClientParity runs socket.io-client through every scenario of
// testpeers/parity-scenarios.mjs over every transport, against Node's server and
// ours, and compares both with testdata/parity.json. That file is what Node's server
// does, scenario by scenario, and is written by hand: it states what a dispatch panel
// may rely on.
func TestJavaScriptClientParity(t *testing.T) {
	want := readTranscript(t, "testdata/parity.json")
	servers := map[string]server{
		"node": nodes(t, "parity-server.mjs"),
		"ours": ours(t, "squelch/server/sio/conformance/parityserver"),
	}
	for name, s := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runScenarios(t, s)
			if len(got) != len(want) {
				t.Errorf("%d scenarios ran, want %d", len(got), len(want))
			}
			for scenario, transports := range want {
				for _, transport := range []string{"websocket", "polling", "upgrade"} {
					t.Run(scenario+"/"+transport, func(t *testing.T) {
						expected := plainJSON(t, transports.over(transport))
						if name == "ours" {
							expected = exceptAccepted(t, scenario, expected)
						}
						heard := plainJSON(t, got[scenario].over(transport))
						if h, e := asText(heard), asText(expected); h != e {
							t.Errorf("heard %s\n want %s", h, e)
						}
					})
				}
			}
		})
	}
}

// seen is what one scenario saw, by transport; "all" stands for all three.
type seen map[string]json.RawMessage

func (s seen) over(transport string) json.RawMessage {
	if same, ok := s["all"]; ok {
		return same
	}
	return s[transport]
}

func readTranscript(t *testing.T, file string) map[string]seen {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var transcript map[string]seen
	if err := json.Unmarshal(text, &transcript); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(transcript) == 0 {
		t.Fatalf("%s is empty", file)
	}
	return transcript
}

func runScenarios(t *testing.T, s server) map[string]seen {
	t.Helper()
	client := testpeers.Node(t, "parity-client.mjs", s.base)
	line, _ := client.Line(1)
	if err := client.Wait(); err != nil {
		t.Fatalf("parity-client.mjs: %v\n%s", err, client.Stderr())
	}
	var transcript map[string]seen
	if err := json.Unmarshal([]byte(line), &transcript); err != nil {
		t.Fatalf("parity-client.mjs printed no transcript: %v\n%.500s", err, line)
	}
	return transcript
}

func plainJSON(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("no JSON but %q: %v", raw, err)
	}
	return value
}

// exceptAccepted replaces Node's answer by ours where that is accepted.
func exceptAccepted(t *testing.T, path string, value any) any {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = exceptAccepted(t, path+"/"+key, inner)
		}
	case string:
		if d, ok := accepted[path]; ok {
			if v != d.node || d.why == "" {
				t.Errorf("the accepted difference at %s is out of date: Node says %q", path, v)
			}
			return d.ours
		}
	}
	return value
}

func asText(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(err)
	}
	return string(bytes.TrimSpace(text.Bytes()))
}

// TestParityTranscriptHoldsNoFailure keeps the golden file honest: a failed scenario
// must not become the expectation.
func TestParityTranscriptHoldsNoFailure(t *testing.T) {
	transcript := readTranscript(t, "testdata/parity.json")
	for scenario, s := range transcript {
		for transport, raw := range s {
			if bytes.Contains(raw, []byte("failed:")) {
				t.Errorf("%s over %s expects a failure: %s", scenario, transport, raw)
			}
			if !slices.Contains([]string{"all", "websocket", "polling", "upgrade"}, transport) {
				t.Errorf("%s: unknown transport %q", scenario, transport)
			}
		}
	}
}
