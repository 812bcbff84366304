package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// more are faults that only some systems can make.
var more []fault

func faults() []fault {
	return append([]fault{
		{name: "kill owner", does: func(f *field) ([]int, func()) { owner, _ := f.roles(false); return f.kill(owner) }},
		{name: "kill leader", does: func(f *field) ([]int, func()) { _, leader := f.roles(false); return f.kill(leader) }},
		{name: "kill both", does: func(f *field) ([]int, func()) { owner, _ := f.roles(true); return f.kill(owner) }},
		{name: "kill neither", does: func(f *field) ([]int, func()) {
			owner, leader := f.roles(false)
			return f.kill(others(owner, leader)[0])
		}},
		{name: "stop owner 3 s", does: stopOwner},
		{name: "isolate owner", does: isolateOwner, after: noOverlap},
		{name: "isolate other", does: func(f *field) ([]int, func()) {
			owner, leader := f.roles(true)
			i := others(owner, leader)[0]
			f.paths.Isolate(i, true)
			return others(i), func() { f.paths.Isolate(i, false) }
		}},
		{name: "owner not heard", does: func(f *field) ([]int, func()) {
			owner, _ := f.roles(false)
			for _, i := range others(owner) {
				f.paths.Hole(owner, i, true)
			}
			return others(owner), func() { f.paths.Isolate(owner, false) }
		}},
		{name: "reset routes", does: func(f *field) ([]int, func()) {
			owner, _ := f.roles(false)
			f.paths.Reset(owner)
			f.cut = owner
			return []int{0, 1, 2}, nothing
		}},
		{name: "slow paths 20 ms", does: func(f *field) ([]int, func()) {
			f.paths.Delay(20 * time.Millisecond)
			return []int{0, 1, 2}, func() { f.paths.Delay(0) }
		}},
		{name: "slow disk", does: slowDisk},
		{name: "clocks 5 s apart", edit: func(i int, o *NodeOptions) { o.Ahead = time.Duration(i-1) * 5 * time.Second },
			does: func(f *field) ([]int, func()) { owner, _ := f.roles(false); return f.kill(owner) }},
		{name: "lost orders", does: func(f *field) ([]int, func()) {
			owner, _ := f.roles(false)
			i := others(owner)[0]
			f.ask(i, "lose", "", 30)
			time.Sleep(time.Second)
			spared, end := f.kill(owner)
			f.ask(i, "lose", "", 0) // what it has lost by then it does not have
			return spared, end
		}},
		{name: "another build", edit: func(i int, o *NodeOptions) { o.Build = []string{"1.2.0", "1.2.0", "1.3.0"}[i] }, does: anotherBuild},
		{name: "another state", does: anotherState},
		{name: "kill owner, NATS apart", nats: true, does: func(f *field) ([]int, func()) { owner, _ := f.owner(); return f.kill(owner) }},
		{name: "damaged store", does: damagedStore},
		{name: "graceful move", does: move},
	}, more...)
}

// isolateOwner cuts the owner off for three seconds.
func isolateOwner(f *field) ([]int, func()) {
	owner, _ := f.roles(true)
	f.paths.Isolate(owner, true)
	f.isolated = owner
	return others(owner), func() {
		f.paths.Isolate(owner, false)
	}
}

// noOverlap: the last grant of an isolated owner is before the first of the others.
func noOverlap(f *field, began time.Time) string {
	last := int64(0)
	for _, k := range f.nodes[f.isolated].Events("key", began) {
		last = max(last, k.At)
	}
	first := int64(0)
	for _, i := range others(f.isolated) {
		_, ended := f.longest(i, began)
		if first == 0 || ended.UnixNano() < first {
			first = ended.UnixNano()
		}
	}
	if last >= first {
		f.t.Errorf("the isolated owner's last grant was %s after the majority's first", time.Duration(last-first))
	}
	return fmt.Sprintf("last grant of the isolated after %d ms, first of the others after %d ms", (last-began.UnixNano())/1e6, (first-began.UnixNano())/1e6)
}

// slowDisk has the owner's disk busy for three seconds.
func slowDisk(f *field) ([]int, func()) {
	owner, _ := f.roles(true)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		data := make([]byte, 4<<20)
		name := filepath.Join(f.folders[owner], "hog")
		defer func() { _ = os.Remove(name) }()
		for {
			select {
			case <-quit:
				return
			default:
			}
			file, err := os.Create(name)
			if err != nil {
				return
			}
			_, _ = file.Write(data)
			_ = file.Sync()
			_ = file.Close()
		}
	}()
	time.Sleep(2 * time.Second)
	return []int{0, 1, 2}, func() { close(quit); <-gone }
}

// anotherBuild: the newest build takes over, and a node of another one has the same state.
func anotherBuild(f *field) ([]int, func()) {
	owner, _ := f.owner()
	spared, end := f.kill(owner)
	f.until("another node decides", func() bool {
		for _, i := range spared {
			if s := f.state(i); s != nil && s.Owns {
				if owner != 2 && i != 2 {
					f.t.Errorf("node %d of an older build has the radio", i)
				}
				return true
			}
		}
		return false
	})
	return spared, end
}

// anotherState: a replica that differs finds out, and takes a snapshot.
func anotherState(f *field) ([]int, func()) {
	owner, _ := f.owner()
	i := others(owner)[0]
	before := f.state(i).Mismatches
	f.ask(i, "twist", "", 0)
	f.until("the difference is found", func() bool { s := f.state(i); return s != nil && s.Mismatches > before })
	return []int{0, 1, 2}, nothing
}

// damagedStore flips bytes of a stopped node's files. It may refuse to start, and starts
// anew without them then; the others go on.
func damagedStore(f *field) ([]int, func()) {
	owner, _ := f.owner()
	i := others(owner)[0]
	f.nodes[i].Kill()
	flipped := 0
	_ = filepath.Walk(f.folders[i], func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || filepath.Ext(path) != ".blk" || info.Size() < 64 {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for at := len(data) / 3; at < len(data); at += 1 + len(data)/7 {
			data[at] ^= 0x5a
			flipped++
		}
		return os.WriteFile(path, data, info.Mode())
	})
	if flipped == 0 {
		f.t.Error("there is nothing to damage")
	}
	return others(i), func() {
		f.launch(i)
		if err := f.nodes[i].Ready(20 * time.Second); err != nil {
			f.t.Log("with its damaged store the node does not start, so it starts without:", err)
			f.nodes[i].Kill()
			orders, _ := os.ReadFile(filepath.Join(f.folders[i], OrdersFile))
			f.folders[i] = f.t.TempDir()
			_ = os.WriteFile(filepath.Join(f.folders[i], OrdersFile), orders, 0o600)
			f.launch(i)
		}
	}
}

// move gives the radio to another node.
func move(f *field) ([]int, func()) {
	owner, _ := f.owner()
	f.ask(owner, "give", f.nodes[(owner+1)%3].Job.Node.Name, 0)
	return []int{0, 1, 2}, nothing
}
