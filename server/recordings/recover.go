package recordings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"squelch/core"
	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// tagsOf lets a file explain itself, to people and to recovery.
func tagsOf(e *Entry) ogg.Tags {
	t := ogg.Tags{Vendor: "squelch"}
	add := func(name, value string) {
		if value != "" {
			t.Comments = append(t.Comments, name+"="+value)
		}
	}
	add("TITLE", e.Frequency.String()+" "+e.Name)
	add("ARTIST", e.Name)
	add("DATE", isoTime(e.Start))
	add("SQUELCH_ID", e.ID)
	add("SQUELCH_USER", strconv.Itoa(int(e.User)))
	add("SQUELCH_UNIT", e.Unit)
	add("SQUELCH_FREQUENCY", e.Frequency.String())
	add("SQUELCH_CONTROL", e.Control.String())
	if e.Patch != 0 {
		add("SQUELCH_PATCH", strconv.Itoa(e.Patch))
	}
	if e.Digital {
		add("SQUELCH_DIGITAL", "1")
	}
	return t
}

// read takes what a file says of itself.
func (e *Entry) read(t ogg.Tags) {
	for _, c := range t.Comments {
		name, value, _ := strings.Cut(c, "=")
		switch name {
		case "ARTIST":
			e.Name = value
		case "SQUELCH_USER":
			n, _ := strconv.ParseInt(value, 10, 32)
			e.User = core.UserID(n)
		case "SQUELCH_UNIT":
			e.Unit = value
		case "SQUELCH_FREQUENCY":
			e.Frequency, _ = core.ParseFrequency(value)
		case "SQUELCH_CONTROL":
			e.Control, _ = core.ParseFrequency(value)
		case "SQUELCH_PATCH":
			n, _ := strconv.ParseInt(value, 10, 32)
			e.Patch = int(n)
		case "SQUELCH_DIGITAL":
			e.Digital = value == "1"
		}
	}
	e.clip()
}

// found is what there is of a recording on the disk.
type found struct {
	size [len(kinds)]int64 // -1: there is no such file
	seen bool              // and it is in the index as it is
}

// recover reads the index, makes it agree with the files, and the files whole.
func (s *Shelf) recover(h hands) error {
	for _, name := range []string{indexNext, probeFile} {
		if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return diskError(filepath.Join(s.dir, name), err)
		}
	}
	known, begun, doomed, last, err := s.readIndex()
	if err != nil {
		return err
	}
	if last == 0 { // no time was noted yet
		for _, r := range known {
			last = max(last, r.start)
		}
	}
	if last == 0 {
		last = h.wall()
	}
	s.clock = newClock(h, last)
	files, err := s.search()
	if err != nil {
		return err
	}
	var text []byte
	for k := range doomed {
		if files[k] == nil {
			continue
		}
		if busy, err := s.removeFiles(k); busy || err != nil {
			s.doomed[k] = struct{}{}
		}
		delete(files, k)
	}
	lost := 0
	for k, r := range known {
		f := files[k]
		if f != nil && f.agrees(r) {
			f.seen = true
			s.list = append(s.list, r)
		} else if f == nil {
			lost++
			text = appendLine(text, textLine{Op: opDel, ID: k.id()})
		}
	}
	entered := 0
	for k, f := range files {
		if f.seen {
			continue
		}
		e := Entry{}
		if r := known[k]; r != nil {
			e = r.entry()
		} else if b, ok := begun[k]; ok {
			e = b
		}
		ok, err := s.mend(k, f, &e)
		if err != nil {
			return err
		}
		if !ok {
			if known[k] != nil {
				lost++
				text = appendLine(text, textLine{Op: opDel, ID: k.id()})
			}
			continue
		}
		entered++
		dated := s.dated(k.start)
		text = appendLine(text, entryLine{opAdd, &e, dated})
		s.list = append(s.list, recordOf(k, &e, dated))
	}
	slices.SortFunc(s.list, func(a, b *record) int { return a.key().compare(b.key()) })
	for _, r := range s.list {
		s.count(r, 1)
	}
	if lost > 0 {
		s.o.Logf("recordings: %d are in the index of %s without their files; they are taken out", lost, s.dir)
	}
	if entered > 0 {
		s.o.Logf("recordings: %d were cut off by the end of the service, or not in the index; they are entered", entered)
	}
	if err := s.index.write(text, false); err != nil {
		return err
	}
	return s.compactIfWorn()
}

// readIndex reads the index, and cuts off a torn end. It returns the recordings, the
// bursts that have begun, what is gone, and the last time that was noted.
func (s *Shelf) readIndex() (known map[key]*record, begun map[key]Entry, gone map[key]bool, last int64, err error) {
	path := filepath.Join(s.dir, indexName)
	info, err := s.root.Lstat(indexName)
	if errors.Is(err, fs.ErrNotExist) {
		if err := newIndex(s.root); err != nil {
			return nil, nil, nil, 0, diskError(path, err)
		}
	} else if err != nil {
		return nil, nil, nil, 0, diskError(path, err)
	} else if !info.Mode().IsRegular() {
		return nil, nil, nil, 0, fmt.Errorf("%w: %s is not a plain file", ErrForeign, path)
	}
	if err := s.index.reopen(); err != nil {
		return nil, nil, nil, 0, diskError(path, err)
	}
	known, begun, gone = map[key]*record{}, map[key]Entry{}, map[key]bool{}
	first, version := true, 0
	end, count, bad, err := lines(s.index.file, func(l line) {
		if first {
			first = false
			if l.Op == opHead {
				version = l.Format
			}
			return
		}
		if l.Op == opTime {
			last = l.Time
			return
		}
		k, ok := parseID(l.ID)
		if !ok {
			return
		}
		switch l.Op {
		case opBegin:
			l.clip()
			begun[k] = l.Entry
		case opAdd:
			if l.valid() {
				l.clip()
				known[k] = recordOf(k, &l.Entry, l.Dated)
				delete(begun, k)
				delete(gone, k)
			}
		case opText:
			if r := known[k]; r != nil && len(l.Text) <= MaxText {
				r.text = l.Text
			}
		case opPeaks:
			if r := known[k]; r != nil && len(l.Peaks) <= MaxPeaks {
				r.peaks = string(l.Peaks)
			}
		case opDel:
			delete(known, k)
			delete(begun, k)
			gone[k] = true
		}
	})
	switch {
	case err != nil:
		return nil, nil, nil, 0, diskError(path, err)
	case version == 0:
		return nil, nil, nil, 0, fmt.Errorf("%w: %s is not an index of recordings; if it was one, move it away, and they are entered again from their files", ErrForeign, path)
	case version != format:
		return nil, nil, nil, 0, fmt.Errorf("%w: %s has format %d; this program knows format %d", ErrForeign, path, version, format)
	}
	if bad > 0 {
		s.o.Logf("recordings: %d lines of %s are damaged; what they said is taken from the files", bad, path)
	}
	s.index.size, s.index.lines = end, count
	return known, begun, gone, last, diskError(path, s.index.file.Truncate(end))
}

var (
	dayForm  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	hourForm = regexp.MustCompile(`^\d{2}$`)
)

// search finds the files of recordings.
func (s *Shelf) search() (map[key]*found, error) {
	all := map[key]*found{}
	foreign, example := 0, ""
	strange := func(name string) {
		foreign++
		example = name
	}
	err := eachIn(s.root, func(day fs.DirEntry) error {
		switch name := day.Name(); {
		case name == indexName, name == lockName, name == "lost+found":
			return nil
		case !day.IsDir() || !dayForm.MatchString(name):
			strange(name)
			return nil
		}
		return within(s.root, day.Name(), func(folder *os.Root) error {
			return eachIn(folder, func(hour fs.DirEntry) error {
				place := day.Name() + "/" + hour.Name()
				if !hour.IsDir() || !hourForm.MatchString(hour.Name()) {
					strange(place)
					return nil
				}
				return within(folder, hour.Name(), func(folder *os.Root) error {
					return eachIn(folder, func(entry fs.DirEntry) error {
						id, kind, _ := strings.Cut(entry.Name(), ".")
						k, ok := parseID(id)
						i := slices.Index(kinds[:], kind)
						if !ok || i < 0 || k.folder() != place || !entry.Type().IsRegular() {
							strange(place + "/" + entry.Name())
							return nil
						}
						info, err := folder.Lstat(entry.Name())
						if err != nil {
							return err
						}
						f := all[k]
						if f == nil {
							f = &found{size: [len(kinds)]int64{-1, -1, -1}}
							all[k] = f
						}
						f.size[i] = info.Size()
						return nil
					})
				})
			})
		})
	})
	if foreign > 0 {
		s.o.Logf("recordings: %d files, folders or links in %s are no recordings and are left alone, such as %s", foreign, s.dir, example)
	}
	return all, diskError(s.dir, err)
}

// within opens a folder in another one.
func within(root *os.Root, name string, do func(*os.Root) error) error {
	folder, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	return errors.Join(do(folder), folder.Close())
}

// eachIn calls do for what is in a folder.
func eachIn(root *os.Root, do func(fs.DirEntry) error) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	list, err := dir.ReadDir(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return err
	}
	for _, entry := range list {
		if err := do(entry); err != nil {
			return err
		}
	}
	return nil
}

// agrees says whether the files are those of the recording.
func (f *found) agrees(r *record) bool {
	e := Entry{Format: kinds[r.form], Bytes: r.bytes, IMBEBytes: r.imbe}
	for i, kind := range kinds {
		if max(f.size[i], 0) != e.sizeOf(kind) {
			return false
		}
	}
	return true
}

// mend makes the files of a recording whole, and completes e from them. False: nothing
// can be heard of it, and nothing is left.
func (s *Shelf) mend(k key, f *found, e *Entry) (bool, error) {
	known := e.Format != ""
	e.ID, e.Number, e.Start = k.id(), k.number, k.start
	e.Format, e.Bytes, e.IMBEBytes, e.Packets, e.VoiceMs, e.Peaks = "", 0, 0, 0, 0, nil
	var end int64
	for i, kind := range kinds {
		if f.size[i] < 0 {
			continue
		}
		path := filepath.Join(s.dir, filepath.FromSlash(k.file(kind)))
		file, err := s.root.OpenFile(k.file(kind), os.O_RDWR, 0)
		if err != nil {
			return false, diskError(path, err)
		}
		size, voice := f.size[i], int64(0)
		switch kind {
		case Ogg:
			m, mendErr := ogg.Mend(file)
			if err = mendErr; errors.Is(err, ogg.ErrNotOpus) || err == nil && m.Samples == 0 {
				size, err = 0, nil
				break
			}
			if !known {
				e.read(m.Tags)
			}
			e.Cut = e.Cut || !m.Whole
			e.Packets = m.Packets
			size, voice = m.Bytes, int64(m.Samples)*1000/packet.Rate
		case IMBE:
			size -= size % frameBytes
			err = file.Truncate(size)
			voice = size / frameBytes * frameMs
		case WebM:
			e.Cut = e.Cut || e.End == 0
		}
		if info, statErr := file.Stat(); statErr == nil {
			end = max(end, info.ModTime().UnixMilli())
		}
		if err := errors.Join(err, file.Close()); err != nil {
			return false, diskError(path, err)
		}
		switch {
		case size == 0:
			if err := s.root.Remove(k.file(kind)); err != nil {
				return false, diskError(path, err)
			}
		case e.Format == "":
			e.Format, e.Bytes = kind, size
			e.VoiceMs = voice
		case kind == IMBE:
			e.IMBEBytes = size
		case e.Format == IMBE: // and WebM beside it
			e.Format, e.Bytes, e.IMBEBytes, e.VoiceMs = kind, size, e.Bytes, 0
		default: // there is another form already: it is none of ours
			if err := s.root.Remove(k.file(kind)); err != nil {
				return false, diskError(path, err)
			}
		}
	}
	if e.Format == "" {
		s.removeFolders(k)
		return false, nil
	}
	if e.Format == IMBE {
		e.Packets = int(e.Bytes / frameBytes)
		e.Cut = e.Cut || e.End == 0
	}
	if e.End == 0 {
		if e.End = k.start + e.VoiceMs; e.VoiceMs == 0 {
			e.End = max(k.start, end)
		}
	}
	if e.VoiceMs == 0 {
		e.VoiceMs = e.End - k.start
	}
	return true, nil
}
