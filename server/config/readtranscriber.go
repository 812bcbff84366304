package config

import (
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/core"
	"squelch/server/nearest"
)

// Transcriber is what turns recordings into text: a program or a web service, one of
// them. It is set in the file only.
type Transcriber struct {
	Command  []string // program, absolute, and its arguments
	URL      string
	Field    string // form field of the audio
	Fields   []Pair // further form fields
	Headers  []Pair
	Private  []netip.Prefix // addresses inside of networks to which URL may lead
	WAV      bool           // it gets WAV, else Ogg Opus as recorded
	Timeout  time.Duration
	AtOnce   int
	MinVoice time.Duration    // shorter recordings are passed over
	Channels []core.Frequency // nil: all that are recorded
}

// Pair is a name with its value.
type Pair struct{ Name, Value string }

// Ranges and defaults of a transcriber.
const (
	transcriberTimeout    = time.Minute // ten times what whisper.cpp's medium model needs for 30 s on four cores
	maxTranscriberTimeout = 10 * time.Minute
	maxTranscribers       = 16  // at once
	transcriberMinVoice   = 1.0 // s; engines make words up when there are none
	maxTranscriberVoice   = 60.0
	maxFormFields         = 50
)

var (
	formField       = regexp.MustCompile(`^[A-Za-z0-9_.\[\]-]{1,100}$`)
	transcriberKeys = []string{"command", "url", "field", "fields", "headers", "private", "format", "timeout", "atOnce", "minSeconds", "channels"}
)

// transcriber reads Config.transcriber. It belongs to the file alone: whoever sets it runs
// programs on this machine, or gets what is said on the radio. An unknown key is a
// mistake: without the channels that were meant, too much would be sent.
func (r *reader) transcriber(v value, c *core.Config, folder string) *Transcriber {
	if !v.table() {
		return nil
	}
	for _, e := range v.entries() {
		if near := nearest.Name(e.name, transcriberKeys); near != "" && near != e.name {
			r.fail(e.value.path, "is unknown; did you mean %s?", near)
		} else if near == "" {
			r.fail(e.value.path, "is unknown; a transcriber has %s", strings.Join(transcriberKeys, ", "))
		}
	}
	t := &Transcriber{Field: "file", WAV: true}
	command, address := v.get("command"), v.get("url")
	switch {
	case command.none() && address.none():
		r.fail(v.path, "needs command, such as { \"/opt/whisper/run\", \"{file}\" }, or url, such as http://127.0.0.1:8080/inference")
	case !command.none() && !address.none():
		r.fail(address.path, "cannot be combined with transcriber.command")
	case address.none():
		t.Command = command.command(folder)
		for _, key := range []string{"field", "fields", "headers", "private"} {
			if other := v.get(key); !other.none() {
				r.fail(other.path, "belongs to transcriber.url, which is not given")
			}
		}
	default:
		t.URL = address.endpoint()
		if name := v.get("field"); !name.none() {
			if t.Field = name.text(""); !formField.MatchString(t.Field) {
				name.wrong("the name of a form field, such as file")
			}
		}
		t.Fields = v.get("fields").formFields()
		for name, text := range r.hookHeaders(v.get("headers")) {
			t.Headers = append(t.Headers, Pair{name, text})
		}
		slices.SortFunc(t.Headers, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
		for _, p := range v.get("private").scalars() {
			if prefix, ok := p.prefix(); ok {
				t.Private = append(t.Private, prefix)
			}
		}
		r.inTheClear(address, t)
	}
	switch format := v.get("format"); format.text("wav") {
	case "wav":
	case "ogg":
		t.WAV = false
	default:
		format.wrong(`"wav" or "ogg"`)
	}
	t.Timeout = time.Duration(v.get("timeout").whole(transcriberTimeout.Milliseconds(), 1000, maxTranscriberTimeout.Milliseconds())) * time.Millisecond
	t.AtOnce = int(v.get("atOnce").whole(1, 1, maxTranscribers))
	least := v.get("minSeconds")
	seconds := least.number(transcriberMinVoice)
	if seconds < 0 || seconds > maxTranscriberVoice {
		least.wrong("a number of seconds from 0 to 60")
	}
	t.MinVoice = time.Duration(seconds * float64(time.Second))
	for _, channel := range v.get("channels").scalars() {
		t.Channels = append(t.Channels, r.channelsNamed(channel, c)...)
	}
	return t
}

// command reads a program and its arguments. It is run as it is, without a shell, and
// without a search for the program.
func (v value) command(folder string) (out []string) {
	if _, is := v.v.(*lua.LTable); !is {
		v.r.fail(v.path, "must be a list of a program and its arguments, such as { \"/opt/whisper/run\", \"{file}\" }, not %s", v.kind())
		return nil
	}
	for _, arg := range v.list() {
		s := arg.text("")
		if strings.ContainsRune(s, 0) {
			v.r.fail(arg.path, "must not contain a zero byte")
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		v.r.fail(v.path, "is empty: it needs a program")
		return nil
	}
	program := filepath.FromSlash(out[0])
	first := index(v.path, 1)
	switch {
	case !filepath.IsAbs(program) && !strings.ContainsRune(program, filepath.Separator):
		v.r.fail(first, "must be the path of a program, such as /opt/whisper/run or bin/run, not %q: none is searched for", out[0])
	case !filepath.IsAbs(program) && folder != "":
		program = beside(folder, program)
		fallthrough
	default:
		if info, err := os.Stat(program); folder != "" && (err != nil || info.IsDir()) {
			v.r.warnAs(Missing, first, first, "is not there: %s", program)
		}
	}
	out[0] = filepath.Clean(program)
	return out
}

// endpoint reads the address of a web service.
func (v value) endpoint() string {
	s := strings.TrimSpace(v.text(""))
	u, err := url.Parse(s)
	switch {
	case err == nil && u.User != nil: // what it is must not get into a log
		v.r.fail(v.path, "must not have a user name or password in it: put them into transcriber.headers")
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "", u.Fragment != "":
		v.wrong("an http or https URL such as http://127.0.0.1:8080/inference")
	}
	return s
}

// inTheClear refuses to send what is said on the radio where it can be read on the way.
func (r *reader) inTheClear(v value, t *Transcriber) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Scheme != "http" || len(t.Private) > 0 || r.told(v.path) {
		return
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err != nil || !ip.IsPrivate() && !ip.IsLoopback() {
		r.fail(v.path, `must be https, because what is said can be read on the way; http is for an address inside of a network, or for ranges that private names, such as private = { "10.0.0.0/8" }`)
	}
}

// formFields reads a table of names with texts, in the order of the names.
func (v value) formFields() (out []Pair) {
	if !v.table() {
		return nil
	}
	for _, e := range v.entries() {
		switch {
		case e.name == "":
			v.r.fail(e.value.path, "needs a name, as in { name = \"value\" }")
		case !formField.MatchString(e.name):
			v.r.fail(e.value.path, "is no name of a form field")
		default:
			out = append(out, Pair{e.name, e.value.text("")})
		}
	}
	if len(out) > maxFormFields {
		v.r.fail(v.path, "has %d fields, the most are %d", len(out), maxFormFields)
	}
	return out
}
