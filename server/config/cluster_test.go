package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestAClusterOfAFile(t *testing.T) {
	if l := mustText(t, ""); l.Server.Cluster != nil {
		t.Errorf("without one: %+v", l.Server.Cluster)
	}
	if l := mustText(t, "Config.cluster = false"); l.Server.Cluster != nil {
		t.Errorf("switched off: %+v", l.Server.Cluster)
	}
	l := mustText(t, "Config.cluster = {}")
	same(t, "the defaults", fmt.Sprintf("%+v", *l.Server.Cluster), "{Name:squelch Node: Listen::7790 Advertise: Routes:[] Secret: URL: Recorder: Replicas:3 Strict:false NATS:<nil>}")
	l = mustText(t, `Config.cluster = { name = "county", node = "n1", listen = "10.0.0.1:7791", advertise = "a.example.org:7791", routes = { "10.0.0.1:7790", "b.example.org:7790" },
		secret = "a secret of the county", url = "https://a.example.org/", recorder = "n3", replicas = 5, strict = true }`)
	same(t, "everything", fmt.Sprintf("%+v", *l.Server.Cluster), "{Name:county Node:n1 Listen:10.0.0.1:7791 Advertise:a.example.org:7791 Routes:[10.0.0.1:7790 b.example.org:7790] "+
		"Secret:a secret of the county URL:https://a.example.org Recorder:n3 Replicas:5 Strict:true NATS:<nil>}")
	l = mustText(t, `Config.cluster = { node = "n1", nats = { urls = { "nats://10.0.0.5:4222", "nats://10.0.0.6:4222" }, creds = "/etc/squelch/nats.creds" } }`)
	same(t, "an existing NATS", fmt.Sprintf("%+v", *l.Server.Cluster.NATS), "{URLs:[nats://10.0.0.5:4222 nats://10.0.0.6:4222] Creds:/etc/squelch/nats.creds}")
	for _, c := range []struct{ src, wrong string }{
		{"'county'", "cluster: must be a table"},
		{"{ nods = 'n1' }", "cluster.nods: is unknown; did you mean node?"},
		{"{ name = 'the county' }", "cluster.name: must be a name of letters, digits and hyphens"},
		{"{ node = 'n_1' }", "cluster.node: must be a name of letters, digits and hyphens"},
		{"{ recorder = 'n.3' }", "cluster.recorder: must be a name of letters, digits and hyphens"},
		{"{ listen = '10.0.0.1' }", "cluster.listen: must be an address and port such as 10.0.0.1:7790"},
		{"{ advertise = 'a.example.org:seven' }", "cluster.advertise: must be an address and port"},
		{"{ routes = { '10.0.0.1:7790', '10.0.0.2' } }", "cluster.routes[2]: must be an address and port"},
		{"{ routes = { '10.0.0.2:70000' } }", "cluster.routes[1]: must be an address and port"},
		{"{ secret = 'too short' }", "cluster.secret: must be at least 16 characters"},
		{"{ url = 'b.example.org' }", "cluster.url: must be"},
		{"{ replicas = 2 }", "cluster.replicas: must be 1, 3 or 5"},
		{"{ replicas = 7 }", "cluster.replicas: must be a whole number from 1 to 5"},
		{"{ strict = 'very' }", "cluster.strict: must be"},
		{"{ nats = {} }", "cluster.nats: must be a table with urls"},
	} {
		l, err := text("Config.cluster = " + c.src)
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = strings.Join(l.Warnings, "\n")
		}
		if !strings.Contains(said, c.wrong) {
			t.Errorf("%s: %q, want %q", c.src, said, c.wrong)
		}
	}
}

func TestDoubtsAboutACluster(t *testing.T) {
	for src, want := range map[string]string{
		"{ routes = { '10.0.0.1:7790', '10.0.0.2:7790', '10.0.0.1:7790' } }":             "cluster.routes[3]: 10.0.0.1:7790 is there twice",
		"{ routes = { '10.0.0.1:7790' }, nats = { urls = { 'nats://10.0.0.5:4222' } } }": "cluster.routes: have no effect with nats",
	} {
		l := mustText(t, "Config.cluster = "+src)
		if said := strings.Join(l.Warnings, "\n"); !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", src, said, want)
		}
	}
	l := mustText(t, "Config.cluster = { routes = { '10.0.0.1:7790', '10.0.0.2:7790', '10.0.0.1:7790' } }")
	same(t, "each once", strings.Join(l.Server.Cluster.Routes, " "), "10.0.0.1:7790 10.0.0.2:7790")
}
