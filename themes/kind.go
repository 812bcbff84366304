package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is a type of file that a theme can have.
type kind struct {
	mime   string
	packed bool // it does not shrink in a zip
	check  func(data []byte) error
}

// kinds is every type, by the end of the name. What is not here is refused.
var kinds = map[string]kind{
	".css":   {mime: "text/css; charset=utf-8"},
	".js":    {mime: "text/javascript; charset=utf-8", check: checkScript},
	".json":  {mime: "application/json", check: checkJSON},
	".txt":   {mime: "text/plain; charset=utf-8", check: checkText},
	".md":    {mime: "text/plain; charset=utf-8", check: checkText},
	".png":   {mime: "image/png", packed: true, check: begins("a PNG picture", "\x89PNG\r\n\x1a\n")},
	".jpg":   {mime: "image/jpeg", packed: true, check: begins("a JPEG picture", "\xff\xd8\xff")},
	".jpeg":  {mime: "image/jpeg", packed: true, check: begins("a JPEG picture", "\xff\xd8\xff")},
	".gif":   {mime: "image/gif", packed: true, check: begins("a GIF picture", "GIF87a", "GIF89a")},
	".webp":  {mime: "image/webp", packed: true, check: begins("a WebP picture", "RIFF????WEBP")},
	".avif":  {mime: "image/avif", packed: true, check: begins("an AVIF picture", "????ftypavif", "????ftypavis", "????ftypmif1")},
	".svg":   {mime: "image/svg+xml", check: checkSVG},
	".woff":  {mime: "font/woff", packed: true, check: begins("a WOFF font", "wOFF")},
	".woff2": {mime: "font/woff2", packed: true, check: begins("a WOFF2 font", "wOF2")},
	".ttf":   {mime: "font/ttf", check: begins("a TrueType font", "\x00\x01\x00\x00", "true")},
	".otf":   {mime: "font/otf", check: begins("an OpenType font", "OTTO", "\x00\x01\x00\x00")},
	".ogg":   {mime: "audio/ogg", packed: true, check: begins("an Ogg sound", "OggS")},
	".mp3":   {mime: "audio/mpeg", packed: true, check: begins("an MP3 sound", "ID3", "\xff\xfb", "\xff\xf3", "\xff\xf2", "\xff\xfa")},
	".wav":   {mime: "audio/wav", check: begins("a WAV sound", "RIFF????WAVE")},
}

// kindOf is the kind of a file; LICENSE and the like are texts.
func kindOf(name string) (kind, bool) {
	base := name[strings.LastIndexByte(name, '/')+1:]
	if base == "LICENSE" || base == "COPYING" || base == "NOTICE" {
		return kinds[".txt"], true
	}
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 {
		return kind{}, false
	}
	k, ok := kinds[base[dot:]]
	return k, ok
}

// kindNames is what messages list.
func kindNames() string {
	return strings.ReplaceAll(strings.Join(slices.Sorted(maps.Keys(kinds)), " "), ".", "")
}

// begins makes a check for the first bytes of a file; "?" is any byte.
func begins(what string, forms ...string) func([]byte) error {
	return func(data []byte) error {
		for _, form := range forms {
			if len(data) < len(form) {
				continue
			}
			same := true
			for i := range len(form) {
				same = same && (form[i] == '?' || form[i] == data[i])
			}
			if same {
				return nil
			}
		}
		return fmt.Errorf("is not %s, as its name says", what)
	}
}

func checkText(data []byte) error {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return errors.New("is not UTF-8 text")
	}
	return nil
}

// checkScript demands text, so that the review shows exactly the bytes that run.
func checkScript(data []byte) error {
	if len(data) > maxText {
		return fmt.Errorf("has %d bytes; the limit for a script is %d, because people review it", len(data), maxText)
	}
	return checkText(data)
}

func checkJSON(data []byte) error {
	if !utf8.Valid(data) || !json.Valid(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		return errors.New("is not valid JSON")
	}
	return nil
}
