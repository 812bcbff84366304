package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"squelch/server/config"
)

// flagged are the cluster flags of a command line.
func flagged(t *testing.T, args ...string) *clusterFlags {
	t.Helper()
	var f clusterFlags
	fl := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	addClusterFlags(fl, &f)
	if err := fl.Parse(args); err != nil {
		t.Fatal(err)
	}
	return &f
}

func TestFlagsMakeACluster(t *testing.T) {
	var s config.ServerConfig
	s.Address = "https://radio.example.org/"
	if err := flagged(t).override(&s); err != nil || s.Cluster != nil {
		t.Errorf("without flags: %v, %+v", err, s.Cluster)
	}
	if err := flagged(t, "--cluster", "county", "--node", "n1", "--routes", "10.0.0.1:7790,10.0.0.2:7790").override(&s); err != nil {
		t.Fatal(err)
	}
	want := config.Cluster{Name: "county", Node: "n1", Listen: ":7790", Routes: []string{"10.0.0.1:7790", "10.0.0.2:7790"}, URL: "https://radio.example.org", Replicas: 3}
	if !reflect.DeepEqual(*s.Cluster, want) {
		t.Errorf("%+v, want %+v", *s.Cluster, want)
	}
	// Over what the file says, and what it leaves out.
	s.Cluster.Secret = "of the file, long enough"
	if err := flagged(t, "--node", "n2", "--cluster-listen", "10.0.0.2:7791", "--cluster-advertise", "b.example.org:7791", "--node-url", "https://b.example.org/", "--nats", "nats://10.0.0.9:4222", "--nats-creds", "n.creds").override(&s); err != nil {
		t.Fatal(err)
	}
	want.Node, want.Listen, want.Advertise, want.URL, want.Secret = "n2", "10.0.0.2:7791", "b.example.org:7791", "https://b.example.org", "of the file, long enough"
	want.NATS = &config.NATS{URLs: []string{"nats://10.0.0.9:4222"}, Creds: "n.creds"}
	if !reflect.DeepEqual(*s.Cluster, want) {
		t.Errorf("%+v, want %+v", *s.Cluster, want)
	}
}

func TestWrongClusterFlagsAreUsageErrors(t *testing.T) {
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"--node", "n1"}, "need --cluster NAME"},
		{[]string{"--routes", "10.0.0.1:7790"}, "need --cluster NAME"},
		{[]string{"--cluster", "the county"}, `--cluster: "the county" is no name`},
		{[]string{"--cluster", "county", "--node", "n_1"}, `--node: "n_1" is no name`},
		{[]string{"--cluster", "county", "--node", "n1", "--routes", "10.0.0.1"}, `--routes: "10.0.0.1" is no address and port`},
		{[]string{"--cluster", "county", "--node", "n1", "--cluster-listen", "7790"}, `--cluster-listen: "7790" is no address and port`},
		{[]string{"--cluster", "county", "--node", "n1", "--cluster-advertise", "b:0"}, `--cluster-advertise: "b:0" is no address and port`},
		{[]string{"--cluster", "county", "--node", "n1", "--node-url", "b.example.org"}, `--node-url: "b.example.org" is not of the form`},
	} {
		var s config.ServerConfig
		err := flagged(t, x.args...).override(&s)
		if _, usage := err.(usageError); !usage || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: %v, want %q", x.args, err, x.want)
		}
	}
}

// TestTheClusterSecretComesFromTheEnvironment, or from a file that it names.
func TestTheClusterSecretComesFromTheEnvironment(t *testing.T) {
	l := &config.Loaded{Server: config.ServerConfig{Cluster: &config.Cluster{Secret: "of the configuration"}}}
	if err := secretsOf(l, settings{"SQUELCH_CLUSTER_SECRET": "of the environment"}.get); err != nil || l.Server.Cluster.Secret != "of the environment" {
		t.Errorf("%v, %q", err, l.Server.Cluster.Secret)
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("of the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := secretsOf(l, settings{"SQUELCH_CLUSTER_SECRET_FILE": file}.get); err != nil || l.Server.Cluster.Secret != "of the file" {
		t.Errorf("%v, %q", err, l.Server.Cluster.Secret)
	}
	alone := &config.Loaded{}
	if err := secretsOf(alone, settings{"SQUELCH_CLUSTER_SECRET": "of the environment"}.get); err != nil || alone.Server.Cluster != nil {
		t.Errorf("a service that is alone needs none: %v", err)
	}
}

// TestAClusterWithoutAGoodSecretDoesNotStart: who knows the secret decides everything.
func TestAClusterWithoutAGoodSecretDoesNotStart(t *testing.T) {
	for secret, want := range map[string]string{"": "has no secret", "too short": "needs at least 16"} {
		s := &service{loaded: &config.Loaded{Server: config.ServerConfig{Cluster: &config.Cluster{Name: "c", Node: "n1", Listen: "127.0.0.1:0", Secret: secret, Replicas: 3}}}, data: t.TempDir()}
		if _, err := s.join(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", secret, err, want)
		}
	}
}
