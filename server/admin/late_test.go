package admin

import (
	"context"
	"errors"
	"testing"

	"squelch/core"
)

// slowRadio has a configuration, and a disk that may hang.
type slowRadio struct {
	state *core.State
	err   error // of Do
}

func (r *slowRadio) Do(context.Context, core.Actor, core.Command) (core.Output, error) {
	return core.Output{}, r.err
}

func (r *slowRadio) View(_ context.Context, look func(core.View)) error {
	look(r.state.View())
	return nil
}

type noStorage struct{}

func (noStorage) Get(string) ([]byte, bool)                 { return nil, false }
func (noStorage) Put(context.Context, string, []byte) error { return nil }

// TestAReloadThatTheDiskHoldsUp counts as taken, because the radio has the order; one that
// the radio refuses does not.
func TestAReloadThatTheDiskHoldsUp(t *testing.T) {
	base := core.DefaultConfig()
	state, err := core.New(base)
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := OpenEditor(noStorage{}, base)
	if err != nil {
		t.Fatal(err)
	}
	before := e.name()
	other := base
	other.Alerts = []core.Alert{{Name: "FIRE", Tone: "ALERT_A"}}
	for _, c := range []struct {
		err         error
		late, taken bool
	}{{&core.Error{Kind: core.Invalid, Message: "no"}, false, false}, {context.DeadlineExceeded, true, true}} {
		approved := false
		err := e.Reload(t.Context(), &slowRadio{state, c.err}, core.Actor{}, other, func([]string, []Difference, int) error {
			approved = true
			return nil
		})
		late := (*LateError)(nil)
		if !errors.Is(err, c.err) || errors.As(err, &late) != c.late || !approved || (e.name() != before) != c.taken {
			t.Errorf("%v: %v, approved %v, revision %s after %s", c.err, err, approved, e.name(), before)
		}
	}
	other.Alerts = []core.Alert{{Name: ""}}
	if err := e.Reload(t.Context(), &slowRadio{state: state}, core.Actor{}, other, func([]string, []Difference, int) error {
		t.Error("a file that the radio cannot have was approved")
		return nil
	}); err == nil {
		t.Error("an alert without a name was taken")
	}
}
