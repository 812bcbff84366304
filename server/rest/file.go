package rest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"

	"squelch/core/door"
	"squelch/server/tones"
)

// tone serves a sound file of the operator's, else a built-in one. The ETag is
// the content's hash.
func (h *Handler) tone(w http.ResponseWriter, r *http.Request, _ caller) error {
	name, err := url.PathUnescape(chi.URLParam(r, "file"))
	if err != nil {
		return missingTone()
	}
	sound, err := tones.Open(h.o.Tones, name)
	if err != nil {
		return missingTone()
	}
	defer sound.Close()
	data, err := sound.Read(0, sound.Size)
	if err != nil {
		return missingTone()
	}
	header := w.Header()
	header.Set("Content-Type", sound.Type)
	header.Set("Cache-Control", "public, max-age="+toneSeconds)
	serve(w, r, hashOf(data), sound.Changed, bytes.NewReader(data))
	return nil
}

func missingTone() error { return door.Missing("GET /radio/tones/{file}") }

// readFile reads a regular file of at most limit bytes.
func readFile(folder fs.FS, name string, limit int64) ([]byte, time.Time, error) {
	f, err := folder.Open(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return nil, time.Time{}, fs.ErrNotExist
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return data, info.ModTime(), err
}

func hashOf(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

// serve answers with a file: ranges, conditions (RFC 9110, sections 13 and 14).
// hash is the content's SHA-256 in hex; half of it makes the ETag.
func serve(w http.ResponseWriter, r *http.Request, hash string, changed time.Time, content io.ReadSeeker) {
	w.Header().Set("ETag", `"`+hash[:32]+`"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	// Give a slow line time; where the deadline cannot be moved, the server's own
	// applies.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTimeout))
	http.ServeContent(w, r, "", changed, content)
}
