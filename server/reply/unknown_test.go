package reply_test

import (
	"net/url"
	"strings"
	"testing"

	"squelch/core"
	"squelch/server/reply"
)

// TestWhatIsUnknownIsNamed: with what was most likely meant, or all that there is.
func TestWhatIsUnknownIsNamed(t *testing.T) {
	for query, want := range map[string]string{
		"": "", "from=1&to=2": "", "from=": "", "form=1&to=2": "form is unknown; did you mean from?", "FROM=1": "FROM is unknown; did you mean from?",
		"zone=x": "zone is unknown; known are from, to, frequency", "freqency=x&Zz=1": "Zz is unknown; known are from, to, frequency",
		strings.Repeat("x", 1000) + "=1": strings.Repeat("x", 40) + "… is unknown; known are from, to, frequency",
	} {
		v, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		check(t, query, reply.OnlyParameters(v, "from", "to", "frequency"), want)
	}
	check(t, "nothing is known", reply.OnlyParameters(url.Values{"x": nil}), "x is unknown; this takes no parameters")
	type form struct {
		Name    string `json:"name,omitempty"`
		Preview bool   `json:"preview"`
	}
	for body, want := range map[string]string{
		`{}`: "", `{"name":1,"preview":true}`: "", `[]`: "", `null`: "", `{"preveiw"`: "",
		`{"name":"x","preveiw":true}`: "preveiw is unknown; did you mean preview?", `{"":1}`: " is unknown; known are name, preview",
	} {
		check(t, body, reply.OnlyFields([]byte(body), &form{}), want)
	}
}

func check(t *testing.T, given string, err error, want string) {
	t.Helper()
	told := reply.RefusalOf(err)
	switch {
	case want == "":
		if err != nil {
			t.Errorf("%.60q: %v", given, err)
		}
	case told == nil || told.Status != 400 || told.Message != want || !strings.HasPrefix(want, told.Field):
		t.Errorf("%.60q: %+v, want %q", given, told, want)
	}
	if err != nil {
		if _, is := err.(*core.Error); !is {
			t.Errorf("%.60q: %T", given, err)
		}
	}
}
