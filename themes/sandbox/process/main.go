// Command process is the process in which the tests run themes. It is built without
// the race detector, whose memory is no theme's.
package main

import (
	"context"
	"fmt"
	"os"

	"squelch/themes/sandbox"
)

func main() {
	core := func() ([]byte, error) { return os.ReadFile(os.Args[1]) }
	if err := sandbox.Serve(context.Background(), os.Stdin, os.Stdout, core); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
