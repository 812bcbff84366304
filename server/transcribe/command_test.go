package transcribe

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// command is one of the engines as a command.
func command(t *testing.T, engine string, args ...string) *Command {
	t.Helper()
	c, err := OpenCommand(append([]string{os.Args[0], "engine", engine}, args...), filepath.Join(t.TempDir(), "transcribe"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(c.Folder); err != nil || len(left) > 0 {
			t.Errorf("left in the folder: %v, %v", left, err)
		}
	})
	return c
}

var aFile = File{"tx-7-1700000000000.wav", "audio/wav", []byte("RIFF and so on")}

func TestAProgramGetsTheRecordingAndNothingElse(t *testing.T) {
	t.Setenv("SQUELCH_TEST_SECRET", "1")
	got, err := command(t, "tell", "{file}").Transcribe(t.Context(), aFile)
	if want := "0 variables, 0 bytes of input, tx-7-1700000000000.wav of 14 bytes, in its folder: true\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	got, err = command(t, "tell", "--file={file}", "$(touch x)").Transcribe(t.Context(), aFile)
	if err != nil || !strings.Contains(got, "of 0 bytes") { // an argument is what it is
		t.Errorf("%q, %v", got, err)
	}
	got, err = command(t, "input").Transcribe(t.Context(), aFile)
	if want := "14 bytes, \"RIFF\"\n"; err != nil || got != want {
		t.Errorf("as its input: %q, %v, want %q", got, err, want)
	}
}

// TestTheDataFolderMayBeRelative: it is by default, and programs start in another folder.
func TestTheDataFolderMayBeRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("data", 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := OpenCommand([]string{os.Args[0], "engine", "tell", "{file}"}, filepath.Join("data", "transcribe"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Transcribe(t.Context(), aFile); err != nil || !strings.Contains(got, "of 14 bytes, in its folder: true") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatProgramsDo(t *testing.T) {
	t.Parallel()
	for engine, want := range map[string]struct{ text, err string }{
		"garbage":  {"\x00\x01\x02\xff\xfeok\x1b[2J\u202ex\r\n", ""},
		"silent":   {"", ""},
		"slow":     {"slowly\n", ""},
		"die":      {"", "the program fails (exit status 3): no model"},
		"crash":    {"", "the program fails: signal: killed"},
		"flood":    {"", "the program writes more than 64 KB"},
		"complain": {"", "the program writes more than 1024 KB to its standard error"},
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			got, err := command(t, engine).Transcribe(t.Context(), aFile)
			if told := errors.Join(err, nil); got != want.text || (err == nil) != (want.err == "") || err != nil && !strings.Contains(told.Error(), want.err) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if _, err := (&Command{[]string{filepath.Join(t.TempDir(), "gone")}, t.TempDir()}).Transcribe(t.Context(), aFile); err == nil || !strings.Contains(err.Error(), "the program does not start") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestAProgramIsKilledWithAllItHasStarted: when it takes too long, whatever signals it
// ignores, and also what it leaves behind when it ends.
func TestAProgramIsKilledWithAllItHasStarted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		engine string
		lives  int
		text   string
	}{{"hang", 1, ""}, {"forkhang", 2, ""}, {"fork", 1, "said before\n"}} {
		t.Run(c.engine, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			type result struct {
				text string
				err  error
			}
			done := make(chan result, 1)
			engine := command(t, c.engine, l.Addr().String())
			go func() {
				text, err := engine.Transcribe(ctx, aFile)
				done <- result{text, err}
			}()
			var alive []net.Conn
			for range c.lives {
				conn, err := l.Accept()
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if _, err := conn.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
				alive = append(alive, conn)
			}
			if c.text == "" {
				select {
				case r := <-done:
					t.Fatalf("it ended by itself: %+v", r)
				default:
				}
				stop()
			}
			if r := <-done; r.text != c.text || (r.err == nil) != (c.text != "") {
				t.Errorf("%q, %v", r.text, r.err)
			}
			for _, conn := range alive { // the connection of a process that is dead has ended
				_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
				if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("a process lives on: %v", err)
				}
			}
		})
	}
}

// TestTheFolderIsEmptiedAtTheStart: what an earlier process has left is deleted.
func TestTheFolderIsEmptiedAtTheStart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "transcribe")
	if err := os.MkdirAll(filepath.Join(folder, "1234"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "1234", "tx-1-1.wav"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCommand([]string{"/x"}, folder); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(folder)
	if left, readErr := os.ReadDir(folder); err != nil || readErr != nil || len(left) > 0 || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v %v %v", left, readErr, info, err)
	}
}
