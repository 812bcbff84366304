package themedesk

import "testing"

func TestWhichVersionIsNewer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1.1", "1.0", true}, {"1.0", "1.1", false}, {"1.10", "1.9", true}, {"1.9", "1.10", false}, {"2", "1.9.9", true},
		{"1.0", "1.0", false}, {"1", "1.0.0", false}, {"1.0.1", "1", true}, {"v1.1", "1.0", true}, {"01", "1", false},
		{"1.0", "1.0-beta", true}, {"1.0-beta", "1.0", false}, {"1.0-beta2", "1.0-beta1", true}, {"1.1-beta", "1.0", true}, {"1.0+b", "1.0+a", false},
		{"spring", "winter", true}, {"winter", "winter", false}, {"", "", false}, {"1..2", "1.0.2", true},
		{"99999999999999999999", "1", true},
	} {
		if got := newer(c.a, c.b); got != c.want {
			t.Errorf("%q is newer than %q: %v", c.a, c.b, got)
		}
	}
}

func TestWhatCountsAsAPicture(t *testing.T) {
	for data, want := range map[string]string{
		"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a": "image/gif", "RIFF\x00\x00\x00\x00WEBPVP8 ": "image/webp",
		"\x00\x00\x00\x1cftypavif": "image/avif", "\x00\x00\x00\x1cftypmp42": "", "<svg/>": "", "<html>": "", "": "", "BM": "", "%PDF-": "",
	} {
		if got := pictureKind([]byte(data)); got != want {
			t.Errorf("%q is %q, want %q", data, got, want)
		}
	}
}
