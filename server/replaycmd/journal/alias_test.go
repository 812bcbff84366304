package journal

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
)

const login = "4711-desk"

// fill puts a login into every field that may hold a NAC id, and returns how
// many there are.
func fill(v reflect.Value, field string) (count int) {
	switch v.Kind() {
	case reflect.String:
		switch {
		case field == "Object":
			v.SetString("Radio.NAC." + strings.ToUpper(login))
			return 1
		case strings.Contains(strings.ToLower(field), "nac") || field == "Job":
			v.SetString(" " + login)
			return 1
		}
	case reflect.Struct:
		for i := range v.NumField() {
			count += fill(v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		count = fill(v.Index(0), field)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		count = fill(v.Elem(), field)
	}
	return count
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestNoFieldKeepsTheDispatchLogin: whatever command, state or configuration has the
// login, the journal does not, and the radio's own copy is unchanged.
func TestNoFieldKeepsTheDispatchLogin(t *testing.T) {
	a := newAlias(login)
	fields := 0
	check := func(name string, whole, hidden any, count int) {
		fields += count
		if had := strings.Count(strings.ToLower(text(t, whole)), login); had != count {
			t.Errorf("%s: the radio's own copy has the login %d times of %d", name, had, count)
		}
		left := text(t, hidden)
		if strings.Contains(strings.ToLower(left), login) || strings.Count(left, a.name) != count {
			t.Errorf("%s is written as %s", name, left)
		}
	}
	for _, kind := range wire.Commands() {
		c := reflect.New(kind).Elem()
		count := fill(c, "")
		o := wire.Order{At: 1, Command: c.Interface().(core.Command)}
		check(kind.Name(), o, without(a, o), count)
	}
	var s wire.Start
	count := fill(reflect.ValueOf(&s).Elem(), "")
	check("the start", s, without(a, s), count)
	if fields < 25 {
		t.Errorf("only %d fields hold NAC ids", fields)
	}
	if d := (core.Data{Callsigns: []core.Callsign{{User: 1, Callsign: login}}}); !reflect.DeepEqual(without(a, d), d) {
		t.Error("a callsign that is no login was renamed")
	}
}

func TestWithoutALoginNothingIsRenamed(t *testing.T) {
	c := core.DefaultConfig()
	c.JobCodeplugs = []core.JobCodeplug{{Job: "", Codeplug: "x"}}
	if got := without(newAlias(""), c); !reflect.DeepEqual(got, c) {
		t.Error(fmt.Sprint(got))
	}
}
