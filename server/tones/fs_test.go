package tones

import (
	"io/fs"
	"testing"
)

func TestEveryBuiltInToneCanBeReadAsAFile(t *testing.T) {
	for name, want := range Files() {
		got, err := fs.ReadFile(FS(), name)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %v, %d of %d bytes", name, err, len(got), len(want))
		}
	}
	for _, name := range []string{"none.wav", "../ALERT_A.wav", "", "."} {
		if _, err := fs.ReadFile(FS(), name); err == nil {
			t.Errorf("%q can be read", name)
		}
	}
}
