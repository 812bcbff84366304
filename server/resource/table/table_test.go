package table_test

import (
	"os"
	"strings"
	"testing"

	"squelch/server/resource/table"
)

// The interface promises 80 names: 32 on the server, one of them an alias, and 48 on
// the client. testdata has them with their parameters, written down apart from the
// table.
func TestTableHasEveryNameOfTheInterface(t *testing.T) {
	total := 0
	for side, file := range map[table.Side]string{table.Server: "testdata/server.txt", table.Client: "testdata/client.txt"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		promised := map[string]bool{}
		for line := range strings.Lines(string(b)) {
			promised[strings.TrimSpace(line)] = true
		}
		for _, e := range table.Exports() {
			if e.Side != side {
				continue
			}
			for _, name := range e.Names() {
				line := name
				for _, p := range e.Params {
					line += " " + p.Name
					if p.Optional {
						line += "?"
					}
				}
				if !promised[line] {
					t.Errorf("%s is not in %s", line, file)
				}
				delete(promised, line)
				total++
			}
		}
		for line := range promised {
			t.Errorf("%s is missing from the table", line)
		}
	}
	if total != 80 {
		t.Errorf("the table has %d names, not 80", total)
	}
}

func TestEveryExportIsDescribed(t *testing.T) {
	for _, e := range table.Exports() {
		if e.Doc == "" || e.Failure == "" {
			t.Errorf("%s: no description, or no failure value", e.Name)
		}
	}
}
