package recordings

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stored makes a folder with three recordings that have texts; it returns its index.
func stored(t *testing.T) (dir string, index []byte) {
	t.Helper()
	dir = t.TempDir()
	s := openAt(t, dir, Options{})
	for i := range 3 {
		e := tape(t, s, entry(i+1, noon+int64(i)*1000), 20)
		must(t, s.SetText(e.ID, fmt.Sprint("text ", i+1)))
	}
	must(t, s.Close())
	index, err := os.ReadFile(filepath.Join(dir, indexName))
	must(t, err)
	return dir, index
}

func TestATornEndOfTheIndexIsCutOff(t *testing.T) {
	dir, whole := stored(t)
	path := filepath.Join(dir, indexName)
	head := bytes.IndexByte(whole, '\n') + 1
	for size := head; size < len(whole); size += 37 {
		must(t, os.WriteFile(path, whole[:size], 0o600))
		s, err := Open(dir, Options{Logf: func(string, ...any) {}})
		must(t, err)
		if got := numbers(s); !slices.Equal(got, []int{1, 2, 3}) {
			t.Errorf("cut off at %d: there are %v", size, got)
		}
		for i, id := range s.Match(Query{}) {
			e, _ := s.Get(id)
			if said := bytes.Contains(whole[:size], fmt.Appendf(nil, `"text":"text %d"}`+"\n", 3-i)); (e.Text != "") != said {
				t.Errorf("cut off at %d: the text of %s is %q", size, id, e.Text)
			}
			if e.Name != "Jane Doe" || e.Unit != "1-Adam-12" || e.Cut || e.Packets != 20 || e.Frequency != 154_755_000 {
				t.Errorf("cut off at %d: what the file says of itself is %+v", size, e)
			}
		}
		must(t, s.Close())
	}
}

func TestADamagedLineCostsOnlyItself(t *testing.T) {
	dir, whole := stored(t)
	path := filepath.Join(dir, indexName)
	head := bytes.IndexByte(whole, '\n') + 1
	for at := head; at < len(whole); at += 53 {
		bad := bytes.Clone(whole)
		bad[at] ^= 0x20
		must(t, os.WriteFile(path, bad, 0o600))
		s, err := Open(dir, Options{Logf: func(string, ...any) {}})
		must(t, err)
		texts := 0
		for _, id := range s.Match(Query{}) {
			if e, _ := s.Get(id); e.Text != "" {
				texts++
			}
		}
		if got := numbers(s); !slices.Equal(got, []int{1, 2, 3}) || texts < 2 {
			t.Errorf("damaged at %d: there are %v with %d texts", at, got, texts)
		}
		must(t, s.Close())
	}
}

// The files explain themselves: without its index a folder is the same but for
// transcripts and waveforms.
func TestAnIndexIsMadeAnewFromTheFiles(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, Options{})
	e := entry(1, noon)
	e.Control, e.Patch, e.Digital, e.User = 154_000_000, 3, true, -2
	b, err := s.Create(e)
	must(t, err)
	must(t, b.WriteOpus(voice[0], 0))
	must(t, b.WriteOpus(voice[1], 4800))
	must(t, b.WriteIMBE(make([]byte, 5*frameBytes)))
	e.End = noon + 130
	must(t, b.Done(e))
	before, _ := s.Get(e.ID)
	must(t, s.Close())
	must(t, os.Remove(filepath.Join(dir, indexName)))
	s = openAt(t, dir, Options{})
	after, _ := s.Get(e.ID)
	if before.End = after.End; fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("it was %+v\nand is  %+v", before, after)
	}
}

func TestBurstsOfEveryFormAreRecovered(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, Options{})
	write := func(number int, do func(b *Burst) error) {
		b, err := s.Create(entry(number, noon))
		must(t, err)
		must(t, do(b))
	}
	write(1, func(b *Burst) error { return b.WriteWebM([]byte("\x1aE\xdf\xa3 something")) })
	write(2, func(b *Burst) error { return b.WriteIMBE(make([]byte, 3*frameBytes)) })
	write(3, func(b *Burst) error { return b.WriteOpus(voice[0], 0) }) // its first page was not full yet
	must(t, s.compact())                                               // must not forget them
	must(t, s.Close())                                                 // leaves them as a kill does
	// An IMBE frame is torn.
	f, err := os.OpenFile(filepath.Join(dir, key{noon, 2}.file(IMBE)), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("torn")
	must(t, err)
	must(t, f.Close())
	s = openAt(t, dir, Options{})
	want(t, s, "after the end of the process", 1, 2)
	webm, _ := s.Get(entry(1, noon).ID)
	if webm.Format != WebM || webm.Bytes != 14 || !webm.Cut || webm.Name != "Jane Doe" || webm.Frequency != 154_755_000 {
		t.Errorf("WebM: %+v", webm)
	}
	imbe, _ := s.Get(entry(2, noon).ID)
	if imbe.Format != IMBE || imbe.Bytes != 3*frameBytes || imbe.VoiceMs != 60 || imbe.Packets != 3 || !imbe.Cut || imbe.Unit != "1-Adam-12" {
		t.Errorf("IMBE: %+v", imbe)
	}
	if names := strings.Join(tree(t, dir), " "); strings.Contains(names, "tx-3") {
		t.Errorf("the folder has %v", names)
	}
}

func TestALostFileLosesItsLine(t *testing.T) {
	dir, _ := stored(t)
	must(t, os.Remove(filepath.Join(dir, key{noon + 1000, 2}.file(Ogg))))
	must(t, os.Truncate(filepath.Join(dir, key{noon + 2000, 3}.file(Ogg)), 1500)) // as after a loss of power
	for range 2 {
		s, err := Open(dir, Options{Logf: t.Logf})
		must(t, err)
		want(t, s, "without a file", 1, 3)
		e, _ := s.Get(entry(3, noon+2000).ID)
		if ms, n := play(t, s, e.ID); ms != e.VoiceMs || n != e.Packets || !e.Cut || n == 0 || n >= 20 || e.Text != "text 3" {
			t.Errorf("what is left plays for %d ms, and is %+v", ms, e)
		}
		must(t, s.Close())
	}
}

func TestTheIndexIsShortened(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, Options{})
	e := tape(t, s, entry(1, noon), 20)
	for i := range compactSlack {
		must(t, s.SetText(e.ID, fmt.Sprint("text ", i)))
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, indexName))
		must(t, err)
		return info.Size()
	}
	long := size()
	must(t, s.compactIfWorn())
	if size() > 2000 || long < 100_000 {
		t.Errorf("%d bytes became %d", long, size())
	}
	must(t, s.SetText(e.ID, "the last"))
	must(t, s.Close())
	s = openAt(t, dir, Options{})
	if e, _ := s.Get(e.ID); e.Text != "the last" {
		t.Errorf("the text is %q", e.Text)
	}
}

// What the disk has not taken is in the next index as it is now, and not as it was.
func TestARewrittenIndexHasNothingOfWhatIsGone(t *testing.T) {
	dir, _ := stored(t)
	s := openAt(t, dir, Options{})
	e := entry(9, noon)
	e.Format, e.Name = Ogg, "Xavier Quimby"
	s.index.owed = appendLine(appendLine(nil, entryLine{Op: opAdd, Entry: &e}), textLine{Op: opDel, ID: e.ID})
	must(t, s.compact())
	must(t, s.SetText(entry(1, noon).ID, "new"))
	if found := search(t, dir, e.Name); len(found) > 0 {
		t.Errorf("it is still in %v", found)
	}
}

func FuzzIndex(f *testing.F) {
	e := entry(1, noon)
	e.Format, e.Peaks = Ogg, []byte{1, 2}
	b := appendLine(nil, plainLine{Op: opHead, Format: format})
	b = appendLine(b, entryLine{Op: opBegin, Entry: &e})
	b = appendLine(b, entryLine{opAdd, &e, noon})
	b = appendLine(b, textLine{Op: opText, ID: e.ID, Text: "Übung"})
	b = appendLine(b, textLine{Op: opDel, ID: e.ID})
	b = appendLine(b, plainLine{Op: opTime, Time: noon})
	f.Add(b, true)
	f.Add(b[:len(b)-3], true)
	f.Add([]byte(`{"op":"add","id":"tx-1-1","f":"","format":"ogg","bytes":-1,"peaks":"AAAA","user":99999999999}`), false)
	f.Add([]byte(`{"op":"shelf","version":9}`), false)
	f.Fuzz(func(t *testing.T, b []byte, sealed bool) {
		if !sealed { // with a checksum, to get behind it
			b = append(fmt.Appendf(nil, "%08x ", crcOf(b)), append(b, '\n')...)
			b = append(appendLine(nil, plainLine{Op: opHead, Format: format}), b...)
		}
		var found []line
		end, count, _, err := lines(bytes.NewReader(b), func(l line) { found = append(found, l) })
		if err != nil || end > int64(len(b)) || count != len(found) {
			t.Fatalf("%d lines to %d of %d: %v", count, end, len(b), err)
		}
		// What is kept reads the same, and nothing after it counts.
		again := 0
		if end2, _, bad, _ := lines(bytes.NewReader(b[:end]), func(line) { again++ }); end2 != end || again != count || bad > bytes.Count(b, []byte("\n")) {
			t.Fatalf("read again %d lines to %d, first %d to %d", again, end2, count, end)
		}
		for _, l := range found {
			k, ok := parseID(l.ID)
			if !ok || !l.valid() {
				continue
			}
			l.clip()
			got := recordOf(k, &l.Entry, l.Dated).entry()
			copied := recordOf(k, &got, 0).entry()
			if got.ID != l.ID || fmt.Sprint(got) != fmt.Sprint(copied) {
				t.Fatalf("%+v is kept as %+v", l.Entry, got)
			}
		}
	})
}

// FuzzOpen opens a folder with any index and any file in the place of a recording.
func FuzzOpen(f *testing.F) {
	e := entry(1, noon)
	e.Format, e.Bytes = Ogg, 9
	head := appendLine(nil, plainLine{Op: opHead, Format: format})
	f.Add(appendLine(head, entryLine{Op: opAdd, Entry: &e}), []byte("OggS not really"))
	f.Add(head, []byte{})
	f.Fuzz(func(t *testing.T, index, file []byte) {
		dir := t.TempDir()
		k := key{noon, 1}
		must(t, os.MkdirAll(filepath.Join(dir, k.folder()), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, k.file(Ogg)), file, 0o600))
		must(t, os.WriteFile(filepath.Join(dir, indexName), append(bytes.Clone(head), index...), 0o600))
		for range 2 {
			s, err := Open(dir, Options{})
			must(t, err)
			for _, id := range s.Match(Query{}) {
				got, _ := s.Get(id)
				info, err := os.Stat(filepath.Join(dir, k.file(got.Format)))
				if id != k.id() || err != nil || info.Size() != got.Bytes {
					t.Fatalf("%+v, and the file: %v", got, err)
				}
			}
			must(t, s.Close())
		}
	})
}
