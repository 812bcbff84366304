package config

import (
	"os"
	"strings"
	"testing"
	"time"
)

// FuzzLoad: whatever is in a file, loading ends with a configuration that
// works or an error that names the file.
func FuzzLoad(f *testing.F) {
	f.Add(defaultSource)
	for _, path := range []string{"testdata/city/config.lua", "testdata/county/config.lua"} {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	for _, s := range []string{zonesWith("1", "'trunked'"), "Config=nil", "return Config", "a..=b", "`x`", "Config.zones={{{{{}}}}}", "x+=-#not{}",
		"local t={} t[1e7]=1 Config.zones=t", "Config.codeplugs={{zones={1}}}", "Config.alerts=setmetatable({},{__index=function() error{} end})"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		l, err := loadSource(source{text: src, name: "config.lua", limit: 100 * time.Millisecond})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "config.lua") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		l.Callbacks.Close()
		if err := l.Core.Check(); err != nil {
			t.Fatalf("loaded, but does not work: %v", err)
		}
	})
}

func FuzzPermissions(f *testing.F) {
	demo := Default()
	demo.Callbacks.Close()
	radio := &demo.Core
	f.Add("add_ace group.a radio.connect.* allow\nadd_ace b radio.conect.1.5 deny\nadd_ace c *.zone..x allow")
	f.Add("add_ace group.a radio.connect allow # x\nadd_principal \"a\" b;remove_ace a b deny")
	f.Fuzz(func(t *testing.T, src string) {
		p, err := ParsePermissions(src, "p.cfg")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.cfg:") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		p.Check(radio, false)
		for _, w := range p.Warnings {
			if !strings.HasPrefix(w, "p.cfg:") {
				t.Fatalf("a warning does not name the file: %s", w)
			}
		}
		for _, e := range p.ACL.Entries {
			if e.Principal != strings.ToLower(e.Principal) || e.Object == "" {
				t.Fatalf("entry %+v", e)
			}
		}
	})
}

func FuzzCallsignPattern(f *testing.F) {
	for _, s := range []string{"^%d%d$", "[%w-_]", "%", "[", "[^]", "[]-a]", "(%a-)", "%b()", "^[%]-z]+$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		re, err := callsignPattern(s)
		if err == nil && re == "" && s != "" {
			t.Fatalf("%q became empty", s)
		}
	})
}
