package transcribe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"

	"squelch/server/outbound"
)

// Endpoint is an engine behind HTTP, as whisper.cpp's server is one: it gets a recording
// as a multipart form, and answers JSON with "text", or plain text.
type Endpoint struct {
	URL     string
	Field   string      // form field of the recording
	Fields  [][2]string // further form fields
	Headers [][2]string
	// Client must follow no redirects and bound how long it waits for an answer.
	Client *http.Client
}

// Transcribe implements Engine.
func (e *Endpoint) Transcribe(ctx context.Context, file File) (string, error) {
	body, kind, err := e.form(file)
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", "application/json, text/plain")
	r.Header.Set("User-Agent", "Squelch")
	for _, h := range e.Headers {
		r.Header.Set(h[0], h[1])
	}
	answer, err := e.Client.Do(r)
	if err != nil {
		if around := (*url.Error)(nil); errors.As(err, &around) {
			err = around.Err // without the address, which may have a key in it
		}
		return "", err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	status, kind := e.hush(answer.Status), answer.Header.Get("Content-Type")
	switch code := answer.StatusCode; {
	case code/100 == 4 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return "", &Refusal{e.refused(status, said)}
	case code/100 != 2:
		return "", errors.New(e.refused(status, said))
	case err != nil:
		return "", err
	case len(said) > maxAnswer:
		return "", fmt.Errorf("it answers more than %d KB", maxAnswer>>10)
	}
	text, err := textOf(kind, said)
	if err != nil {
		err = errors.New(e.hush(err.Error()))
	}
	return text, err
}

func (e *Endpoint) form(file File) (body []byte, kind string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range e.Fields {
		if err := w.WriteField(f[0], f[1]); err != nil {
			return nil, "", err
		}
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="%s"; filename="%s"`, e.Field, file.Name)},
		"Content-Type":        {file.Type},
	})
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(file.Data); err != nil {
		return nil, "", err
	}
	err = w.Close()
	return b.Bytes(), w.FormDataContentType(), err
}

// hush leaves out of an answer what only the configuration may know: it is for the log.
func (e *Endpoint) hush(said string) string {
	var secrets []string
	for _, pair := range slices.Concat(e.Headers, e.Fields) {
		secrets = append(secrets, pair[1])
	}
	return string(outbound.Hush([]byte(said), e.URL, secrets...))
}

func (e *Endpoint) refused(status string, said []byte) string {
	text := e.hush(string(said)) // before it is cut: half a secret is not found
	if why := Clean(text[:min(len(text), maxReason)]); why != "" {
		return "it answers " + status + ": " + why
	}
	return "it answers " + status
}

// textOf reads an answer.
func textOf(kind string, said []byte) (string, error) {
	media, _, _ := mime.ParseMediaType(kind)
	switch media {
	case "text/plain":
		return string(said), nil
	case "application/json":
		var answer struct {
			Text  *string
			Error any // whisper.cpp reports failures so, with status 200
		}
		if err := json.Unmarshal(said, &answer); err != nil {
			return "", fmt.Errorf("its answer is not JSON: %w", err)
		}
		switch {
		case answer.Text != nil:
			return *answer.Text, nil
		case answer.Error != nil:
			return "", fmt.Errorf("it answers an error: %v", answer.Error)
		}
		return "", errors.New(`its answer has no "text"`)
	}
	return "", fmt.Errorf("it answers %q, expected application/json with \"text\", or text/plain", kind)
}
