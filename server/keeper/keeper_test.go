package keeper_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/core"
	"squelch/server/audit"
	"squelch/server/engine"
	"squelch/server/keeper"
	"squelch/server/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// powered runs a radio on a data folder until off is called, without goodbyes.
func powered(t *testing.T, data string) (radio *engine.Engine, off func()) {
	t.Helper()
	st, err := store.Open(t.Context(), data, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var was core.Data
	if snap, found, err := st.LatestSnapshot(t.Context()); err != nil {
		t.Fatal(err)
	} else if found {
		if err := json.Unmarshal(snap.Data, &was); err != nil {
			t.Fatal(err)
		}
	}
	state, err := core.Restore(core.DefaultConfig(), was)
	if err != nil {
		t.Fatal(err)
	}
	k := keeper.New(keeper.Options{Store: st, Log: audit.New(st.Audit(), time.Now), Logf: t.Logf})
	radio = engine.Start(state, engine.NewAlone(time.Now, keeping(k)), engine.Options{Logf: t.Logf})
	return radio, func() {
		t.Helper()
		radio.Close()
		k.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
}

func nac(t *testing.T, radio *engine.Engine) (nac string) {
	t.Helper()
	if err := radio.View(t.Context(), func(v core.View) { nac = v.NacOf(7) }); err != nil {
		t.Fatal(err)
	}
	return nac
}

func TestANacIdSetByHandOutlivesARestart(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	script := core.Actor{Surface: core.BySystem}
	ann := core.Register{User: 7, Facts: core.Facts{Name: "Ann", Nac: "PD"}}
	radio, off := powered(t, data)
	for _, cmd := range []core.Command{ann, core.SetNac{User: 7, Nac: "EMS"}} {
		if _, err := radio.Do(t.Context(), script, cmd); err != nil {
			t.Fatal(err)
		}
	}
	off()
	radio, off = powered(t, data)
	defer off()
	if _, err := radio.Do(t.Context(), script, ann); err != nil {
		t.Fatal(err)
	}
	if got := nac(t, radio); got != "EMS" {
		t.Errorf("after the restart Ann's NAC id is %q", got)
	}
}

func TestAfterTheEndNothingIsAcknowledged(t *testing.T) {
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "data"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	k := keeper.New(keeper.Options{Store: st, Log: audit.New(st.Audit(), time.Now), Logf: t.Logf})
	k.Close()
	if err := k.Durable(t.Context(), &keeper.State{}, nil); err == nil {
		t.Error("a change was acknowledged that nobody writes")
	}
}
