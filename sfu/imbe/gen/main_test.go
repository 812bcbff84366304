package main

import (
	"bytes"
	"encoding/json"
	"go/format"
	"os"
	"testing"
)

func TestGeneratedTablesAreUpToDate(t *testing.T) {
	raw, err := os.ReadFile("../tables.json")
	if err != nil {
		t.Fatal(err)
	}
	var a annexes
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatal(err)
	}
	want, err := format.Source(render(&a))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../tables_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("tables_gen.go differs from tables.json: run go generate in sfu/imbe")
	}
}
