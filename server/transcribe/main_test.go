package transcribe

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"squelch/server/internal/testwhisper"
)

func TestMain(m *testing.M) {
	testwhisper.Serve()
	if len(os.Args) > 2 && os.Args[1] == "engine" {
		os.Exit(engines[os.Args[2]](os.Args[3:]))
	}
	goleak.VerifyTestMain(m)
}

// engines are programs, some of which do what no program should. Those that are to be
// killed hold a connection to the address in their first argument for as long as they live.
var engines map[string]func(args []string) int

func init() {
	engines = map[string]func(args []string) int{
		// tells what it was given.
		"tell": func(args []string) int {
			in, _ := io.ReadAll(os.Stdin)
			folder, _ := os.Getwd()
			file, _ := os.ReadFile(args[0])
			fmt.Printf("%d variables, %d bytes of input, %s of %d bytes, in its folder: %v\n", len(os.Environ()), len(in), filepath.Base(args[0]), len(file), filepath.Dir(args[0]) == folder)
			return 0
		},
		// takes the recording as its input.
		"input": func([]string) int {
			in, _ := io.ReadAll(os.Stdin)
			fmt.Printf("%d bytes, %q\n", len(in), in[:4])
			return 0
		},
		"hang": func(args []string) int {
			signal.Ignore(syscall.SIGTERM, os.Interrupt)
			alive(args[0])
			return 0
		},
		// leaves a program behind that holds its output.
		"fork": func(args []string) int {
			fork(args[0])
			fmt.Println("said before")
			return 0
		},
		// waits for a program that hangs.
		"forkhang": func(args []string) int {
			fork(args[0])
			alive(args[0])
			return 0
		},
		"flood":    func([]string) int { return endless(os.Stdout) },
		"complain": func([]string) int { return endless(os.Stderr) },
		"die": func([]string) int {
			fmt.Println("half a text")
			fmt.Fprintln(os.Stderr, "no model\x1b[31m\nin models/")
			return 3
		},
		"crash": func([]string) int {
			p, _ := os.FindProcess(os.Getpid())
			_ = p.Kill()
			time.Sleep(time.Minute)
			return 0
		},
		"garbage": func([]string) int {
			_, _ = os.Stdout.Write([]byte{0, 1, 2, 0xff, 0xfe, 'o', 'k', 0x1b, '[', '2', 'J', 0xe2, 0x80, 0xae, 'x', '\r', '\n'})
			return 0
		},
		"silent": func([]string) int { return 0 },
		"slow": func([]string) int {
			time.Sleep(200 * time.Millisecond)
			fmt.Println("slowly")
			return 0
		},
	}
}

// mark is the file of a program that holds its connection.
const mark = "alive"

// alive holds a connection until this process is killed.
func alive(address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		os.Exit(9)
	}
	defer c.Close()
	_, _ = c.Write([]byte("x"))
	_ = os.WriteFile(mark, nil, 0o600)
	time.Sleep(time.Hour)
}

func fork(address string) {
	cmd := exec.Command(os.Args[0], "engine", "hang", address)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if cmd.Start() != nil {
		os.Exit(9)
	}
	for {
		if _, err := os.Stat(mark); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func endless(w io.Writer) int {
	line := []byte(strings.Repeat("word ", 1000) + "\n")
	for {
		if _, err := w.Write(line); err != nil {
			return 1
		}
	}
}
