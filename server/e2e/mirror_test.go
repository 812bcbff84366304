package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"squelch/server/internal/loopback"
	"strings"
	"testing"
)

// three starts three nodes of a cluster on data folders.
func three(t *testing.T, conf string, data []string) []*service {
	t.Helper()
	routes, err := loopback.Ports(len(data))
	if err != nil {
		t.Fatal(err)
	}
	nodes := make([]*service, len(data))
	done := make(chan bool)
	for i := range data {
		flags := []string{"--cluster", "county", "--node", fmt.Sprint("n", i+1), "--cluster-listen", routes[i], "--routes", strings.Join(routes, ",")}
		serving := serve(conf, data[i], flags...)
		serving.Env = append(os.Environ(), "SQUELCH_CLUSTER_SECRET=the secret of the county")
		go func() {
			defer func() { done <- true }()
			nodes[i] = greeted(t, serving, conf, data[i])
		}()
	}
	for range data {
		<-done
	}
	if t.Failed() {
		t.FailNow()
	}
	return nodes
}

// newest is the number of the newest entry of the timeline.
func (s *service) newest(by session) uint64 {
	s.t.Helper()
	all := s.timeline(by, 0)
	if len(all) == 0 {
		s.t.Fatal("the timeline is empty")
	}
	return all[len(all)-1].Seq
}

// TestFromOneMachineToThreeAndBack: a radio outgrows its machine, lives on three, is backed up
// on one of them, and comes back to a single one: from a node's data folder, and from the
// backup after all nodes are lost.
func TestFromOneMachineToThreeAndBack(t *testing.T) {
	s := start(t)
	by, _ := busy(s)
	before, told := s.remembers(by)
	newest := s.newest(by)
	s.stop()
	report := s.auditVerify()

	same := func(what string, s *service) {
		t.Helper()
		after, _ := s.remembers(by) // the session is still valid
		after.Users = before.Users
		if b, err := json.Marshal(after); err != nil || string(b) != told {
			t.Errorf("%s: before %s\nafter  %s", what, told, b)
		}
		if now := s.newest(by); now < newest {
			t.Errorf("%s: the timeline ends at %d, before at %d", what, now, newest)
		}
	}
	data := []string{filepath.Join(t.TempDir(), "1"), s.data, filepath.Join(t.TempDir(), "3")}
	nodes := three(t, s.conf, data)
	for i, n := range nodes {
		same(fmt.Sprint("node ", i+1), n)
	}
	nodes[2].do("/radio/dispatch/alert/clear", map[string]any{"frequency": "460.25"}, by)
	_, told = nodes[2].remembers(by)
	before, _ = nodes[2].remembers(by)
	newest = nodes[2].newest(by)
	nodes[2].stop() // cleanly, with the last change
	backup := filepath.Join(t.TempDir(), "radio.tar.gz")
	command(t, "backup", "--data", data[2], "--config", s.conf, "--out", backup)
	nodes[0].Kill()
	nodes[1].Kill()

	alone := resume(t, s.conf, data[2])
	same("alone again", alone)
	alone.stop()
	var old, now struct {
		OK   bool   `json:"ok"`
		Last uint64 `json:"last"`
	}
	if err := json.Unmarshal([]byte(report), &old); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(alone.auditVerify()), &now); err != nil || !now.OK || now.Last <= old.Last {
		t.Errorf("audit: %+v, before %+v (%v)", now, old, err)
	}

	restored := []string{t.TempDir(), t.TempDir(), t.TempDir()} // the folders, because root makes none
	command(t, "restore", backup, "--data", restored[0])
	nodes = three(t, s.conf, restored)
	for i, n := range nodes {
		same(fmt.Sprint("restored, node ", i+1), n)
	}
	for _, n := range nodes {
		n.Kill()
	}
}
