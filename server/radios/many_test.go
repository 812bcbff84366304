package radios_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"squelch/server/internal/testradio"
)

// manyRadios is how many radios a host of the tests has.
const manyRadios = 200

// small is the configuration of a radio with a channel.
func small(name string) string {
	return radioFile(name) + `Config.zones = { { name = "Zone", channels = { { name = "DISP", type = "conventional", frequency = 154.755 } } } }` + "\n"
}

// crowd puts many radios on the air.
func crowd(t testing.TB, radios int, of func(name string) string) *testradio.Service {
	t.Helper()
	f := files{t, t.TempDir()}
	f.write("config.lua", of("default")+`Config.radios = "radios"`)
	for n := range radios {
		f.write("radios/"+nth(n)+".lua", of(nth(n)))
	}
	l, _, err := f.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	s := testradio.Start(t, testradio.Options{Config: l, Reread: f.read, Log: &logged})
	for _, r := range s.Radios.All() {
		if r.State != "onAir" {
			t.Fatalf("%s is %s: %s", r.Name, r.State, r.Reason)
		}
	}
	return s
}

func nth(n int) string { return fmt.Sprintf("radio-%03d", n) }

// memory is how many bytes are in use, after what is not was cleared away.
func memory() (heap, stacks uint64) {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.StackInuse
}

// mostIdle is how many bytes of heap an idle radio may take. The stacks of its goroutines are
// printed beside it.
const mostIdle = 100 << 10

// TestAnIdleRadioIsSmall compares a host that has many radios with one that has few.
func TestAnIdleRadioIsSmall(t *testing.T) {
	const few = 5
	type size struct {
		heap, stacks uint64
		goroutines   int
	}
	measure := func(n int) (is size) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := crowd(t, n, small)
			is.heap, is.stacks = memory()
			is.goroutines = runtime.NumGoroutine()
			runtime.KeepAlive(s)
		})
		return is
	}
	base, all := measure(few), measure(manyRadios)
	each := func(a, b uint64) int64 { return (int64(b) - int64(a)) / (manyRadios - few) }
	heap := each(base.heap, all.heap)
	t.Logf("%d radios: %d KB of heap, %d KB of stacks and %d goroutines each", manyRadios, heap>>10, each(base.stacks, all.stacks)>>10, each(uint64(base.goroutines), uint64(all.goroutines)))
	if heap > mostIdle {
		t.Errorf("an idle radio takes %d bytes of heap, of at most %d", heap, mostIdle)
	}
}
