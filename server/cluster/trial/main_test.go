package trial

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// nodeEnv tells this binary that it is to be a node.
const nodeEnv = "SQUELCH_TRIAL_NODE"

func TestMain(m *testing.M) {
	if os.Getenv(nodeEnv) != "" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func nodeCommand(t *testing.T) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), nodeEnv+"=1", "GOMAXPROCS=2")
	return c
}
