package recordings

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// ownDisk runs the test in a process with mounts of its own, so that nothing of them is
// left however it ends, and gives it a small file system. "": this is the process that
// only waits.
func ownDisk(t *testing.T) string {
	t.Helper()
	const inChild = "SQUELCH_RECORDINGS_OWN_DISK"
	if os.Getenv(inChild) == "" {
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=yes")
		child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
		if os.Getuid() != 0 { // as root of a name space of its own it may mount there
			child.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
			child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			child.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		out, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "PASS: "+t.Name()) {
			t.Fatalf("%v\n%s", err, out)
		}
		return ""
	}
	folder := t.TempDir()
	for _, err := range []error{
		unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""),
		unix.Mount("tmpfs", folder, "tmpfs", 0, "mode=0700,size=2m"),
	} {
		if err != nil {
			t.Fatalf("a small file system cannot be mounted: %v", err)
		}
	}
	t.Cleanup(func() {
		if err := unix.Unmount(folder, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// fill takes all but this many bytes of the disk.
func fill(t *testing.T, folder string, left int64) {
	t.Helper()
	file, err := os.Create(filepath.Join(folder, "ballast"))
	must(t, err)
	for block := make([]byte, 1<<16); len(block) > 0; {
		n, err := file.Write(block)
		if err != nil && !errors.Is(err, unix.ENOSPC) {
			t.Fatal(err)
		}
		if n < len(block) {
			block = block[:len(block)/2]
		}
	}
	info, err := file.Stat()
	must(t, errors.Join(err, file.Truncate(info.Size()-left), file.Close()))
}

func TestAFullDiskEndsABurstAndLosesNothing(t *testing.T) {
	folder := ownDisk(t)
	if folder == "" {
		return
	}
	dir := filepath.Join(folder, "recordings")
	s := openAt(t, dir, Options{})
	before := tape(t, s, entry(1, noon), 50)
	fill(t, folder, 32<<10)

	b, err := s.Create(entry(2, noon+1000))
	must(t, err)
	written := 0
	for err == nil {
		if err = b.WriteOpus(voice[written%len(voice)], 0); err == nil {
			written++
		}
	}
	disk, ok := errors.AsType[*DiskError](err)
	if !ok || disk.Reason != "the disk is full" || !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("after %d packets: %v", written, err)
	}
	if err := b.WriteOpus(voice[0], 0); !errors.As(err, &disk) {
		t.Errorf("more voice: %v", err)
	}
	e := entry(2, noon+1000)
	e.End = noon + 1000 + int64(written)*20
	if err := b.Done(e); !errors.As(err, &disk) {
		t.Errorf("the end: %v", err)
	}
	cutOff, ok := s.Get(e.ID)
	if ms, n := play(t, s, e.ID); !ok || !cutOff.Cut || n != cutOff.Packets || ms != cutOff.VoiceMs || n < written-24 {
		t.Errorf("of %d packets %d are played; the entry is %+v", written, n, cutOff)
	}
	// Fill the last bytes, which the index has in its last block.
	for err = nil; err == nil; {
		err = s.SetText(before.ID, strings.Repeat("all that fits ", 20))
	}
	if !errors.As(err, &disk) || s.State().Problem == "" {
		t.Errorf("a text: %v, and the state %+v", err, s.State())
	}
	b, err = s.Create(entry(3, noon+2000))
	if err == nil {
		err = b.WriteOpus(voice[0], 0)
		must(t, b.Done(entry(3, noon+2000)))
	}
	if !errors.As(err, &disk) {
		t.Errorf("the next burst: %v", err)
	}
	want(t, s, "on the full disk", 1, 2)

	// Deletion makes room, also for itself.
	if n, _, err := s.Delete(t.Context(), before.ID); n != 1 || err != nil {
		t.Errorf("%d are deleted: %v", n, err)
	}
	must(t, os.Remove(filepath.Join(folder, "ballast")))
	tape(t, s, entry(4, noon+3000), 50)
	if st := s.State(); st.Problem != "" {
		t.Errorf("the problem stays: %+v", st)
	}
	must(t, s.Close())
	s = openAt(t, dir, Options{})
	want(t, s, "after a restart", 2, 4)
	if again, _ := s.Get(e.ID); again.Bytes != cutOff.Bytes || again.Packets != cutOff.Packets || !again.Cut {
		t.Errorf("it was %+v and is %+v", cutOff, again)
	}
}

// The lines that the full disk did not take are written when there is room again.
func TestABurstThatTheIndexOwesIsEnteredLater(t *testing.T) {
	folder := ownDisk(t)
	if folder == "" {
		return
	}
	dir := filepath.Join(folder, "recordings")
	s := openAt(t, dir, Options{})
	b, err := s.Create(entry(1, noon))
	must(t, err)
	for _, p := range voice[:20] {
		must(t, b.WriteOpus(p, 0))
	}
	fill(t, folder, 0)
	for err = nil; err == nil; { // the rest of the last blocks
		err = errors.Join(b.WriteOpus(voice[0], 0), s.write(t, 100))
	}
	e := entry(1, noon)
	e.Name = "Somebody with a name that the file does not say"
	_ = b.Done(e)
	if got, ok := s.Get(e.ID); !ok || got.Name != e.Name {
		t.Errorf("on the full disk it is %+v", got)
	}
	must(t, os.Remove(filepath.Join(folder, "ballast")))
	tape(t, s, entry(2, noon+1000), 50)
	must(t, s.Close())
	s = openAt(t, dir, Options{})
	want(t, s, "after a restart", 1, 2)
	if got, _ := s.Get(e.ID); got.Name != e.Name {
		t.Errorf("after a restart it is %+v", got)
	}
}

// What the index owes of a unit goes with its recordings.
func TestADeletionOnAFullDiskLeavesNothing(t *testing.T) {
	folder := ownDisk(t)
	if folder == "" {
		return
	}
	dir := filepath.Join(folder, "recordings")
	s := openAt(t, dir, Options{})
	b, err := s.Create(entry(1, noon))
	must(t, err)
	for _, p := range voice {
		must(t, b.WriteOpus(p, 0))
	}
	fill(t, folder, 0)
	for err = nil; err == nil; {
		err = errors.Join(b.WriteOpus(voice[0], 0), s.write(t, 100))
	}
	e := entry(1, noon)
	e.Name = "Xavier Quimby"
	_ = b.Done(e)
	if !strings.Contains(string(s.index.owed), e.Name) {
		t.Fatal("the index owes nothing: the test shows nothing")
	}
	if n, _, err := s.Delete(t.Context(), e.ID); n != 1 || err != nil {
		t.Errorf("%d are deleted: %v", n, err)
	}
	must(t, os.Remove(filepath.Join(folder, "ballast")))
	other := tape(t, s, entry(2, noon), 50)
	for _, trace := range []string{e.Name, e.ID} {
		if found := search(t, dir, trace); len(found) > 0 {
			t.Errorf("%q is still in %v", trace, found)
		}
	}
	must(t, s.Close())
	s = openAt(t, dir, Options{})
	want(t, s, "after a restart", other.Number)
}

// write fills the index with lines that mean nothing.
func (s *Shelf) write(t *testing.T, count int) error {
	t.Helper()
	s.disk.Lock()
	defer s.disk.Unlock()
	for range count {
		if err := s.index.write(appendLine(nil, plainLine{Op: opTime, Time: noon}), false); err != nil {
			return err
		}
	}
	return nil
}

func TestAReadOnlyFolderIsRefused(t *testing.T) {
	folder := ownDisk(t)
	if folder == "" {
		return
	}
	dir := filepath.Join(folder, "recordings")
	s, err := Open(dir, Options{})
	must(t, err)
	must(t, s.Close())
	must(t, unix.Mount("", folder, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	_, err = Open(dir, Options{})
	if disk, ok := errors.AsType[*DiskError](err); !ok || disk.Reason != "the disk is read-only" {
		t.Errorf("opening: %v", err)
	}
	_, err = Open(filepath.Join(folder, "another"), Options{})
	if err == nil || !strings.Contains(err.Error(), "cannot be made") {
		t.Errorf("making one: %v", err)
	}
}
