package themedesk

import (
	"bytes"
	"net/http"
	"slices"
)

// pictureKind is the media type of a picture, by its first bytes; "": it is none that is
// passed on. SVG is not among them, because it is a document.
func pictureKind(data []byte) string {
	// ISO BMFF, section 4.3: a box ftyp, whose brand says what follows.
	if len(data) >= 12 && bytes.Equal(data[4:8], []byte("ftyp")) && slices.Contains([]string{"avif", "avis"}, string(data[8:12])) {
		return "image/avif"
	}
	switch kind := http.DetectContentType(data); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return kind
	}
	return ""
}
