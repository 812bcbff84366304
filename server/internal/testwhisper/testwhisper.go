// Package testwhisper stands in for whisper.cpp's server: a process of its own with the
// interface of examples/server (POST /inference, a multipart form with the recording in
// "file"). It recognizes no speech but tells what it was given, and is stricter than the
// original: it takes WAV of 16 kHz, mono, 16 bit only, and says what is wrong with others.
package testwhisper

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// argument makes a test's program the server.
const argument = "whisper-server"

// Serve is called first in a test's TestMain: in the process of the server it never
// returns.
func Serve() {
	if len(os.Args) < 2 || os.Args[1] != argument {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	go func() { // ends with the test
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /inference", inference)
	fmt.Fprintln(os.Stderr, http.Serve(l, mux))
	os.Exit(1)
}

// Start starts the server, and gives the address of its inference. It ends with the test.
func Start(t testing.TB) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], argument)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	var address string
	if _, err := fmt.Fscanln(out, &address); err != nil {
		t.Fatal(err)
	}
	return "http://" + address + "/inference"
}

func inference(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, body any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	said, form, err := read(r)
	switch {
	case err != nil:
		answer(http.StatusBadRequest, map[string]string{"error": err.Error()})
	case form == "text":
		w.Header().Set("Content-Type", "text/html; charset=utf-8") // as the original does
		_, _ = io.WriteString(w, said)
	default:
		answer(http.StatusOK, map[string]string{"text": said})
	}
}

// read takes the form apart.
func read(r *http.Request) (said, form string, err error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return "", "", errors.New("no multipart form")
	}
	fields := map[string]string{}
	parts := multipart.NewReader(r.Body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", "", fmt.Errorf("the form is damaged: %w", err)
		}
		name := part.FormName()
		text, err := io.ReadAll(part)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", name, err)
		}
		if _, twice := fields[name]; twice || name == "" || (name == "file") != (part.FileName() != "") {
			return "", "", fmt.Errorf("the field %q comes twice, or only as a text or file", name)
		}
		fields[name] = string(text)
	}
	file, given := fields["file"]
	if !given {
		return "", "", errors.New("no 'file' field in the request")
	}
	samples, err := wav([]byte(file))
	if err != nil {
		return "", "", fmt.Errorf("failed to read audio data: %w", err)
	}
	language := fields["language"]
	if language == "" {
		language = "en"
	}
	return describe(samples, language), fields["response_format"], nil
}

// describe is what the server says instead of words. The engine puts a space before each
// segment, and a line's end after it.
func describe(samples []int16, language string) string {
	var sum float64
	for _, s := range samples {
		sum += float64(s) * float64(s)
	}
	level := math.Sqrt(sum / max(1, float64(len(samples))))
	if level < 100 {
		return " (silence)\n"
	}
	return fmt.Sprintf(" I hear %d milliseconds.\n In %s.\n", len(samples)/16, language)
}

// wav reads the samples of exactly the files that every build of the engine takes.
func wav(b []byte) ([]int16, error) {
	const header = 44
	if len(b) < header || string(b[:4]) != "RIFF" || string(b[8:16]) != "WAVEfmt " || string(b[36:40]) != "data" {
		return nil, errors.New("no WAV")
	}
	var wrong []string
	for _, f := range []struct {
		name     string
		is, want uint32
	}{
		{"size of the file", binary.LittleEndian.Uint32(b[4:]), uint32(len(b) - 8)}, {"size of fmt", binary.LittleEndian.Uint32(b[16:]), 16},
		{"format", uint32(binary.LittleEndian.Uint16(b[20:])), 1}, {"channels", uint32(binary.LittleEndian.Uint16(b[22:])), 1},
		{"rate", binary.LittleEndian.Uint32(b[24:]), 16_000}, {"bytes in a second", binary.LittleEndian.Uint32(b[28:]), 32_000},
		{"block", uint32(binary.LittleEndian.Uint16(b[32:])), 2}, {"bits", uint32(binary.LittleEndian.Uint16(b[34:])), 16},
		{"size of the samples", binary.LittleEndian.Uint32(b[40:]), uint32(len(b) - header)},
	} {
		if f.is != f.want {
			wrong = append(wrong, fmt.Sprintf("%s is %d, not %d", f.name, f.is, f.want))
		}
	}
	if len(wrong) > 0 {
		return nil, errors.New(strings.Join(wrong, ", "))
	}
	samples := make([]int16, 0, len(b)/2)
	for at := header; at+1 < len(b); at += 2 {
		samples = append(samples, int16(binary.LittleEndian.Uint16(b[at:])))
	}
	return samples, nil
}
