package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log"
	"os"
)

// examples are those of the documents. They come from the tests' golden files, so the
// service is known to behave like them.
type examples struct {
	bodies  map[string]any // by route
	clients map[string]any // payloads, by event of a client
	replies map[string]any // by route
	events  map[string]any // payloads, by event
}

func readExamples() examples {
	e := examples{map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}}
	for _, f := range []struct {
		file, name, value string
		to                map[string]any
	}{
		{"requests.jsonl", "route", "body", e.bodies},
		{"replies.golden.jsonl", "route", "reply", e.replies},
		{"events.golden.jsonl", "event", "payload", e.events},
		{"clientevents.jsonl", "event", "payload", e.clients},
	} {
		b, err := os.ReadFile("testdata/" + f.file)
		if err != nil {
			log.Fatal(err)
		}
		s := bufio.NewScanner(bytes.NewReader(b))
		s.Buffer(nil, len(b)+1)
		for s.Scan() {
			var line map[string]any
			if err := json.Unmarshal(s.Bytes(), &line); err != nil {
				log.Fatalf("%s: %v", f.file, err)
			}
			name, _ := line[f.name].(string)
			if _, first := f.to[name]; !first { // the first of many
				f.to[name] = line[f.value]
			}
		}
	}
	return e
}
