package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/server/filelock"
)

// unclean makes a folder as a kill leaves it, with what used has written.
func unclean(t *testing.T) (dir string) {
	t.Helper()
	dir, _ = used(t, 5000)
	must(t, os.Remove(filepath.Join(dir, storeName, sealName)))
	return dir
}

// temporaryFolder makes a folder and sets it as the one for temporary files.
func temporaryFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return dir
}

func nothingIn(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v was left behind, %v", left, err)
	}
}

func TestWhatAnInterruptedCheckLeavesIsPutAway(t *testing.T) {
	for name, leave := range map[string]func(dir string) error{
		"while it copied": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, nextName), folderMode),
				os.WriteFile(filepath.Join(dir, nextName, "half"), []byte("of a copy"), fileMode))
		},
		"between the two renames": func(dir string) error {
			return errors.Join(os.CopyFS(filepath.Join(dir, nextName), os.DirFS(filepath.Join(dir, storeName))),
				os.Rename(filepath.Join(dir, storeName), filepath.Join(dir, beforeName)))
		},
		"before it removed the old": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, beforeName), folderMode),
				os.WriteFile(filepath.Join(dir, beforeName, watermarkName), []byte("half removed"), fileMode))
		},
		"while secrets were read": func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, lookName+"17", storeName), folderMode)
		},
		"while it checked a copy elsewhere": func(dir string) error {
			m, _, err := readMarker(dir)
			return errors.Join(err, os.MkdirAll(filepath.Join(os.TempDir(), temporaryName(m.ID), storeName), folderMode))
		},
		"while secrets were read elsewhere": func(dir string) error {
			m, _, err := readMarker(dir)
			return errors.Join(err, os.MkdirAll(filepath.Join(os.TempDir(), temporaryName(m.ID)+"-17", storeName), folderMode))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := unclean(t)
			temporary := temporaryFolder(t)
			must(t, leave(dir))
			s := open(t, dir)
			checkUsed(t, s, 5000)
			closeStore(t, s)
			onlyTheStore(t, dir)
			nothingIn(t, temporary)
		})
	}
}

func TestTooLittleRoomForACopyIsAnError(t *testing.T) {
	dir := unclean(t)
	// Recordings and themes are not in the copy, however large.
	must(t, os.Mkdir(filepath.Join(dir, "recordings"), folderMode))
	must(t, os.WriteFile(filepath.Join(dir, "recordings", "talk.ogg"), make([]byte, 50_000_000), fileMode))
	before := readTree(t, dir)
	free := int64(1_000_000)
	room := func(string) (int64, error) { return free, nil }
	_, err := openIn(t.Context(), dir, Options{}, room)
	if !errors.Is(err, ErrNoRoom) || !strings.Contains(err.Error(), "needs 5 MB") || !strings.Contains(err.Error(), "only 1 MB is free") {
		t.Errorf("error %v", err)
	}
	sameTree(t, before, readTree(t, dir))
	free = 6_000_000
	s, err := openIn(t.Context(), dir, Options{}, room)
	must(t, err)
	checkUsed(t, s, 5000)
	closeStore(t, s)
	onlyTheStore(t, dir)
	// A clean folder needs no room.
	free = 0
	s, err = openIn(t.Context(), dir, Options{}, room)
	must(t, err)
	closeStore(t, s)
}

// A full disk keeps no radio off the air: the copy goes where temporary files
// go, and the store stays where it is. Damage is found there too.
func TestAFullDiskIsCheckedOnACopyElsewhere(t *testing.T) {
	dir := unclean(t)
	temporary := temporaryFolder(t)
	room := func(of string) (int64, error) {
		if of == dir {
			return 0, nil
		}
		return 1 << 30, nil
	}
	files := readTree(t, dir)
	name := blockOf(t, files, streamAudit)
	must(t, damages["one bit flipped"](filepath.Join(dir, name), files[name]))
	before := readTree(t, dir)
	if _, err := openIn(t.Context(), dir, Options{Logf: t.Logf}, room); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), filepath.Join(dir, name)) {
		t.Errorf("error %v, want one that names %s", err, name)
	}
	sameTree(t, before, readTree(t, dir))
	writeTree(t, dir, files)
	s, err := openIn(t.Context(), dir, Options{Logf: t.Logf}, room)
	must(t, err)
	checkUsed(t, s, 5000)
	closeStore(t, s)
	nothingIn(t, temporary)
	checkUsed(t, open(t, dir), 5000)
}

// countdown is a context that is cancelled once Done has been called left times.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   int
}

func (c *countdown) Done() <-chan struct{} {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	return c.Context.Done()
}

// Ending the program while it checks the folder does not make the folder count as
// damaged.
func TestACancelledCheckIsNoDamage(t *testing.T) {
	dir := unclean(t)
	before := readTree(t, dir)
	const reading = "stream " + streamSnapshot + " cannot be read"
	err := error(nil)
	for left := 1; left < 100 && (err == nil || !strings.Contains(err.Error(), reading)); left++ {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err = Open(&countdown{ctx, cancel, left}, dir, Options{Logf: t.Logf})
		if !errors.Is(err, context.Canceled) || errors.Is(err, ErrDamaged) {
			t.Fatalf("cancelled at %d: error %v", left, err)
		}
		sameTree(t, before, readTree(t, dir))
	}
	if !strings.Contains(err.Error(), reading) {
		t.Errorf("never cancelled while records were read, but: %v", err)
	}
	s := open(t, dir)
	checkUsed(t, s, 5000)
	closeStore(t, s)
}

// NATS is restarted for all callers, not only for the one that comes first.
func TestARestartOutlivesItsCaller(t *testing.T) {
	s := open(t, t.TempDir())
	_, err := s.Audit().Append(t.Context(), []byte("entry"))
	must(t, err)
	s.host.mu.Lock()
	s.host.stopQuietly() // as after a restart that failed
	s.host.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, s.Probe(ctx, 1))
	if n, err := s.Audit().Append(t.Context(), []byte("another")); n != 2 || err != nil {
		t.Errorf("record %d, %v", n, err)
	}
	closeStore(t, s)
}

// A record of another stream of the same folder is refused, though NATS finds
// nothing wrong with it.
func TestARecordThatIsNotOursIsFoundAfterAKill(t *testing.T) {
	dir := unclean(t)
	nats, err := startEmbedded(filepath.Join(dir, storeName), false, t.Logf)
	must(t, err)
	m, _, err := readMarker(dir)
	must(t, err)
	_, err = nats.stream.Publish(t.Context(), subjectOf(streamAudit), origin{m.ID, streamConfig}.pack(31, time.Unix(0, 0), []byte("forged")))
	must(t, err)
	nats.stop()
	refused(t, dir, ErrDamaged, "record 31 of stream audit does not match its checksum")
}

// A folder of an earlier program gets the streams that it does not have.
func TestAStreamIsAddedToAFolder(t *testing.T) {
	for _, kind := range []string{"stopped", "killed"} {
		dir := t.TempDir()
		all := streamNames
		streamNames = all[:slices.Index(all, streamTransmissions)]
		s := &Store{dir: dir, logf: t.Logf, free: filelock.FreeBytes}
		must(t, s.prepare(t.Context()))
		must(t, s.host.open(t.Context()))
		audit := &Log{host: s.host, stream: streamAudit, logf: t.Logf, now: time.Now}
		_, err := audit.Append(t.Context(), []byte("before"))
		must(t, err)
		must(t, s.host.stop())
		streamNames = all
		if kind == "killed" {
			must(t, os.Remove(filepath.Join(dir, storeName, sealName)))
		}
		s = open(t, dir)
		if n, err := s.Timeline().Append(t.Context(), []byte("new")); n != 1 || err != nil {
			t.Errorf("%s: record %d, %v", kind, n, err)
		}
		closeStore(t, s)
		s = open(t, dir)
		for log, want := range map[*Log]string{s.Audit(): "before", s.Timeline(): "new"} {
			if _, records, err := log.Read(t.Context(), 1, 9); err != nil || len(records) != 1 || string(records[0]) != want {
				t.Errorf("%s: %s holds %q, %v", kind, log.stream, records, err)
			}
		}
		closeStore(t, s)
		// An earlier program refuses the folder, because it does not know the stream.
		streamNames = all[:slices.Index(all, streamTransmissions)]
		refused(t, dir, ErrForeign, "which this program does not know")
		streamNames = all
	}
}

func TestTheWatermarkOutlivesTheLossOfEitherPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), watermarkName)
	must(t, writeWatermark(path, "id", []streamMark{newMark("audit"), newMark("a stream that comes later")}))
	marks, err := readWatermark(path, "id")
	must(t, err)
	w, err := openWatermark(path, marks)
	must(t, err)
	for last := uint64(1); last <= 4; last++ {
		must(t, w.reached("a stream that comes later", last))
		data, err := os.ReadFile(path)
		must(t, err)
		for _, page := range []int{3, 4} {
			torn := bytes.Clone(data)
			copy(torn[page*watermarkPage+100:], "half a page")
			must(t, os.WriteFile(path+".torn", torn, fileMode))
			got, err := readWatermark(path+".torn", "id")
			must(t, err)
			if got[1].last != last && got[1].last != last-1 || got[0].last != 0 {
				t.Errorf("with page %d torn after record %d: %+v", page, last, got)
			}
		}
		if got, err := readWatermark(path, "id"); err != nil || got[1].last != last || got[1].stream != "a stream that comes later" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	must(t, w.raise("audit", 3))
	must(t, w.close())
	if got, err := readWatermark(path, "id"); err != nil || got[0].floor != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}
