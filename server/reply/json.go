package reply

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// JSON writes an answer.
func JSON(w http.ResponseWriter, status int, body any) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		status = http.StatusInternalServerError
		out.Reset()
		out.WriteString(`{"success":false,"error":"Server error"}`)
	}
	Private(w.Header(), "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(out.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // a caller that has gone is not an error
}

// Private forbids caches to keep an answer, and sets its media type: answers show the
// radio as it is now, and some carry secrets.
func Private(header http.Header, mediaType string) {
	header.Set("Content-Type", mediaType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
}
