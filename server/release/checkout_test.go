package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheVersionComesFromTheTag(t *testing.T) {
	for described, want := range map[string]string{
		"v1.2.3-0-gabcdef0":      "1.2.3",
		"v1.2.3-4-gabcdef0":      "1.2.3+4.gabcdef0",
		"v2.0.0-rc.1-0-gabcdef0": "2.0.0-rc.1",
	} {
		if got, err := versionOf(described, false); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", described, got, err, want)
		}
	}
	if got, err := versionOf("v1.2.3-0-gabcdef0", true); err != nil || got != "1.2.3+dirty" {
		t.Errorf("with changes: %s, %v", got, err)
	}
	if got := (checkout{version: "2.0.0-rc.1"}).packageVersion(); got != "2.0.0~rc.1" {
		t.Errorf("a candidate is to come before its release: %s", got)
	}
}

func TestAChangedCheckoutIsNotReleased(t *testing.T) {
	dir := t.TempDir()
	c := checkout{source: dir}
	git := func(args ...string) {
		t.Helper()
		if _, err := c.git(t.Context(), append([]string{"-c", "user.name=n", "-c", "user.email=e"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("one")
	git("add", "file")
	git("commit", "-qm", "one")
	git("tag", "v1.0.0")
	if c, err := look(t.Context(), options{source: dir}); err != nil || c.version != "1.0.0" {
		t.Errorf("at the tag: %q, %v", c.version, err)
	}
	write("two")
	if _, err := look(t.Context(), options{source: dir}); err == nil || !strings.Contains(err.Error(), "file") {
		t.Errorf("a changed checkout: %v", err)
	}
	if c, err := look(t.Context(), options{source: dir, allowDirty: true}); err != nil || c.version != "1.0.0+dirty" {
		t.Errorf("allowed: %q, %v", c.version, err)
	}
	if _, err := look(t.Context(), options{source: dir, allowDirty: true, version: "new"}); err == nil {
		t.Error("a version that is none was taken")
	}
}

func TestTargetsAreNamed(t *testing.T) {
	if all, container, err := choose(""); len(all) != 6 || !container || err != nil {
		t.Errorf("%v, %v, %v", all, container, err)
	}
	if one, container, err := choose("linux/arm"); len(one) != 1 || container || err != nil {
		t.Errorf("%v, %v, %v", one, container, err)
	}
	for _, wrong := range []string{"linux", "plan9/386", "windows/amd64,container"} {
		if _, _, err := choose(wrong); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
}
