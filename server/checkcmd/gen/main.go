// Command gen writes the demo radio for the panel's simulation. It runs in
// server/checkcmd (go generate).
package main

import (
	"bytes"
	"log"
	"os"

	"squelch/server/checkcmd"
	"squelch/server/config"
)

func main() {
	log.SetFlags(0)
	demo := config.Default()
	defer demo.Callbacks.Close()
	var out bytes.Buffer
	if err := checkcmd.WriteRadio(&out, demo.Core); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("../../panel/src/simulation/radio.gen.json", out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
