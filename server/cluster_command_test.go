package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"squelch/core/wire"
)

// nodeThatSays is a node whose cluster is this; nil: it is alone.
func nodeThatSays(t *testing.T, c *wire.Cluster) string {
	t.Helper()
	answer := func(w http.ResponseWriter, status int, v any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer the master token":
			answer(w, 401, wire.Failure{Error: "Authentication required"})
		case r.Method == http.MethodGet && r.URL.Path == "/api/cluster":
			answer(w, 200, wire.ClusterStatus{Cluster: c})
		case r.Method == http.MethodPost && r.URL.Path == "/api/cluster/move":
			body, _ := io.ReadAll(r.Body)
			if string(body) != `{"radio":"default","node":"n2"}` {
				answer(w, 404, wire.Failure{Error: `Node "n9" not found; did you mean n2?`})
				return
			}
			answer(w, 200, wire.ClusterMoved{Success: true, Radio: "default", From: "n1", Owner: "n2", Epoch: 9, TookMs: 12})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func county() *wire.Cluster {
	routes := 1
	r := wire.ClusterReplica{Radio: "default", Owner: "n1", Epoch: 7, Seq: 4711, Hash: "5eb3a1c2d4", HashSeq: 4700}
	return &wire.Cluster{Name: "county", Node: "n2", Radios: []wire.ClusterRadio{{Radio: "default", Owner: "n1", Epoch: 7, Seq: 4711}}, Problems: []string{},
		Nodes: []wire.ClusterNode{{Name: "n1", Build: "1.4.0", URL: "https://a.example.org", Lives: true, Answers: true, Routes: &routes, Quorum: true, StoreMs: 2, Radios: []wire.ClusterReplica{r}},
			{Name: "n2", Build: "1.4.0", Lives: true, Answers: true, Routes: &routes, Quorum: true, StoreMs: 3, Radios: []wire.ClusterReplica{r}}}}
}

func TestClusterStatus(t *testing.T) {
	t.Setenv("SQUELCH_AUTH_TOKEN", "the master token")
	well := nodeThatSays(t, county())
	out, _ := exits(t, 0, "cluster", "status", "--server", well)
	for _, want := range []string{"cluster county, asked at node n2", "default  n1     7      4711", "https://a.example.org", "5eb3a1c2@4700", "all is well"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, _ = exits(t, 0, "cluster", "status", "--server", well+"/", "--json")
	var c wire.Cluster
	if err := json.Unmarshal([]byte(out), &c); err != nil || len(c.Nodes) != 2 {
		t.Errorf("%v: %s", err, out)
	}
	// Something is wrong: the exit code says so.
	bad := county()
	bad.Nodes[0] = wire.ClusterNode{Name: "n1"}
	bad.Nodes[1].Radios[0].Differs = true
	bad.Problems = []string{"node n1 is missing"}
	out, errs := exits(t, 1, "cluster", "status", "--server", nodeThatSays(t, bad))
	if !strings.Contains(out, "missing") || !strings.Contains(out, "differs") || !strings.Contains(errs, "the cluster is not well: node n1 is missing") {
		t.Errorf("%s%s", out, errs)
	}
	out, _ = exits(t, 1, "cluster", "status", "--json", "--server", nodeThatSays(t, bad))
	if !json.Valid([]byte(out)) {
		t.Errorf("not JSON: %s", out)
	}
	if _, errs := exits(t, 1, "cluster", "status", "--server", nodeThatSays(t, nil)); !strings.Contains(errs, "is alone: it belongs to no cluster") {
		t.Error(errs)
	}
}

func TestClusterMove(t *testing.T) {
	t.Setenv("SQUELCH_AUTH_TOKEN", "the master token")
	node := nodeThatSays(t, county())
	if out, _ := exits(t, 0, "cluster", "move", "default", "n2", "--server", node); out != "radio default went from node n1 to node n2 in 12 ms (epoch 9)\n" {
		t.Error(out)
	}
	if _, errs := exits(t, 1, "cluster", "move", "default", "n9", "--server", node); !strings.Contains(errs, `Node "n9" not found; did you mean n2?`) {
		t.Error(errs)
	}
	for _, args := range [][]string{{"cluster", "move"}, {"cluster", "move", "default"}, {"cluster", "mov"}, {"cluster", "status", "extra"}, {"cluster", "status", "--server", "radio.example.org"}} {
		exits(t, 2, args...)
	}
	for words, want := range map[string]string{"": "default", "default": "n1\nn2"} {
		args := append([]string{"__complete", "cluster", "move", "--server", node}, strings.Fields(words)...)
		if out, _ := exits(t, 0, append(args, "")...); !strings.HasPrefix(out, want+"\n:4") {
			t.Errorf("completion after %q: %q", words, out)
		}
	}
}

func TestClusterCommandsWantTheMasterToken(t *testing.T) {
	node := nodeThatSays(t, county())
	for _, name := range []string{"SQUELCH_AUTH_TOKEN", "SQUELCH_AUTH_TOKEN_FILE"} {
		t.Setenv(name, "")
	}
	if _, errs := exits(t, 2, "cluster", "status", "--server", node); !strings.Contains(errs, "--token or SQUELCH_AUTH_TOKEN is missing") {
		t.Error(errs)
	}
	if _, errs := exits(t, 1, "cluster", "status", "--server", node, "--token", "a guess"); !strings.Contains(errs, "Authentication required") {
		t.Error(errs)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("the master token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SQUELCH_AUTH_TOKEN_FILE", file)
	exits(t, 0, "cluster", "status", "--server", node)
}
