package rest_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/rest"
)

// twoNodes is a cluster of n1, which does not give the radio away, and n2.
type twoNodes struct{}

func (twoNodes) Status(context.Context) (wire.Cluster, error) {
	return wire.Cluster{Name: "county", Node: "n1", Radios: []wire.ClusterRadio{{Radio: "default", Owner: "n1", Epoch: 7, Seq: 12}},
		Nodes: []wire.ClusterNode{{Name: "n1", Lives: true, Answers: true, Quorum: true, Radios: []wire.ClusterReplica{}}}, Problems: []string{}}, nil
}

func (twoNodes) Move(_ context.Context, radio, node string) (wire.ClusterMoved, error) {
	switch {
	case radio != "default":
		return wire.ClusterMoved{}, &core.Error{Kind: core.NotFound, Message: `Radio "` + radio + `" not found; did you mean default?`}
	case node == "n1":
		return wire.ClusterMoved{}, &core.Error{Kind: core.Unavailable, Message: "Node n1 has not answered"}
	case node == "n3":
		return wire.ClusterMoved{}, &core.Error{Kind: core.Conflict, Message: "Node n3 is gone"}
	case node != "n2":
		return wire.ClusterMoved{}, &core.Error{Kind: core.NotFound, Message: `Node "` + node + `" not found; did you mean n2?`}
	}
	return wire.ClusterMoved{Success: true, Radio: radio, From: "n1", Owner: node, Epoch: 8, TookMs: 12}, nil
}

// alone takes the station out of its cluster.
func (s *station) alone() {
	s.t.Helper()
	s.use(s.t, func(o *rest.Options) { o.Cluster = nil })
}

func TestAServiceThatIsAloneHasNoCluster(t *testing.T) {
	s := onAir(t)
	s.alone()
	a := s.send("GET", "/api/cluster", credentials{token: masterToken}, nil)
	if a.status != 200 || string(a.body) != `{"cluster":null}`+"\n" && string(a.body) != `{"cluster":null}` {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestAMoveIsAuditedWhetherItSucceedsOrNot(t *testing.T) {
	s := onAir(t)
	for _, node := range []string{"n2", "n3"} {
		s.send("POST", "/api/cluster/move", credentials{token: masterToken}, `{"radio":"default","node":"`+node+`"}`)
	}
	if got := s.audit.actions(); !slices.Equal(got, []string{"cluster.move", "cluster.move"}) {
		t.Fatal(got)
	}
	for i, want := range []string{`{"address":"127.0.0.1","epoch":8,"from":"n1","node":"n2","radio":"default"}`, `{"address":"127.0.0.1","error":"Node n3 is gone","node":"n3","radio":"default"}`} {
		if got, _ := json.Marshal(s.audit.entries[i].Detail); string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
