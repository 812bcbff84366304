package tones

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// unseekable hides that its files can seek.
type unseekable struct{ fs.FS }

func (u unseekable) Open(name string) (fs.File, error) {
	f, err := u.FS.Open(name)
	return struct{ fs.File }{f}, err
}

func TestASoundIsReadInPieces(t *testing.T) {
	own := fstest.MapFS{"BEEP.wav": {Data: []byte("the operator's beep")}, "Gong.OGG": {Data: []byte("gong")}}
	for name, folder := range map[string]fs.FS{"seekable": own, "unseekable": unseekable{own}} {
		folders := []fs.FS{folder, FS()}
		for offset, want := range map[int64]string{0: "the opera", 4: "operator'", 15: "beep", 18: "p", 19: "", 1 << 40: ""} {
			s, err := Open(folders, "BEEP.wav")
			if err != nil || s.Type != "audio/wav" || s.Size != 19 {
				t.Fatalf("%s: %+v, %v", name, s, err)
			}
			if got, err := s.Read(offset, 9); err != nil || string(got) != want {
				t.Errorf("%s: from %d on %q, %v", name, offset, got, err)
			}
			s.Close()
		}
		s, err := Open(folders, "Gong.OGG")
		if err != nil || s.Type != "audio/ogg" {
			t.Fatalf("%s: %+v, %v", name, s, err)
		}
		s.Close()
	}
	s, err := Open([]fs.FS{own, FS()}, "PANIC.wav")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if all, err := s.Read(0, MaxSound); err != nil || !bytes.Equal(all, Files()["PANIC.wav"]) {
		t.Errorf("a built-in tone has %d bytes, %v", len(all), err)
	}
}

func TestOnlySoundFilesOfTheFolderAreOpened(t *testing.T) {
	folders := []fs.FS{fstest.MapFS{"config.lua": {}, ".hidden.wav": {}, "deep/a.wav": {}, "folder.wav/a": {},
		"big.wav": {Data: make([]byte, MaxSound+1)}}, FS()}
	for _, name := range []string{"config.lua", ".hidden.wav", "deep/a.wav", "folder.wav", "big.wav", "none.wav", "", ".", "..", "../BEEP.wav",
		"C:BEEP.wav", "BEEP.wav\x00", `deep\a.wav`, strings.Repeat("x", 300) + ".wav"} {
		if s, err := Open(folders, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %+v, %v", name, s, err)
		}
	}
}
