package themes

import (
	"bytes"
	"regexp"
	"unicode"
)

// Review is what a person must see before a theme is installed.
type Review struct {
	Manifest
	Build   string    `json:"build"`
	Files   []File    `json:"files"`
	Bytes   int       `json:"bytes"`
	Picture string    `json:"picture,omitempty"`
	Removed []Removal `json:"removed"`
	// HasJS tells that there is a script: it is installed only by somebody who names
	// ScriptSHA256.
	HasJS        bool   `json:"hasJs"`
	Script       string `json:"script,omitempty"`       // exactly the source
	ScriptSHA256 string `json:"scriptSha256,omitempty"` // of exactly these bytes
	Hints        []Hint `json:"hints"`
	// Replaces is what is installed under the same slug.
	Replaces *Replaced `json:"replaces,omitempty"`
	// Warnings say in plain sentences what no fence stops.
	Warnings []string `json:"warnings"`
}

// Replaced is a theme that would be replaced.
type Replaced struct {
	Name          string `json:"name"`
	Version       string `json:"version"`
	Author        string `json:"author"`
	Build         string `json:"build"`
	HasJS         bool   `json:"hasJs"`
	BuiltIn       bool   `json:"builtIn"`       // it cannot be replaced: the slug is taken
	Same          bool   `json:"same"`          // nothing would change
	ScriptChanged bool   `json:"scriptChanged"` // the script is not the one that was reviewed then
}

// Hint points at a line of a script that is worth a look. It is no finding: a line
// without a hint can do harm too.
type Hint struct {
	Line int    `json:"line"`
	What string `json:"what"`
	Why  string `json:"why"`
}

// Review shows what installing p would do; installed is what has its slug now, nil:
// nothing.
func (p *Package) Review(installed *Installed) Review {
	r := Review{
		Manifest: p.Manifest, Build: p.Build(), Files: filesOf(p.Files), Picture: p.Picture,
		Removed: append([]Removal{}, p.Removed...), HasJS: p.Script != nil, Script: string(p.Script),
		ScriptSHA256: p.ScriptSHA256(), Hints: hintsOf(p.Script), Warnings: p.warnings(installed),
	}
	for _, f := range r.Files {
		r.Bytes += f.Bytes
	}
	if i := installed; i != nil {
		r.Replaces = &Replaced{Name: i.Name, Version: i.Version, Author: i.Author, Build: i.Build, HasJS: i.HasJS,
			BuiltIn: i.BuiltIn, Same: i.Build == r.Build, ScriptChanged: i.ScriptSHA256 != r.ScriptSHA256}
	}
	return r
}

// Warnings, each one a thing that nothing here prevents.
const (
	warnActs      = "The script acts as the dispatcher who uses the theme: it can key the radio, send alerts, change patches and do whatever else that dispatcher may do."
	warnReads     = "The script can read everything on the console's page, and everything that the browser keeps for this address, such as the dispatcher's login."
	warnLeaves    = "The console's content security policy stops the script from loading or sending data elsewhere in the usual ways. It does not stop it from leading the browser to another page, from opening a WebRTC connection, or from having the browser connect to another host in advance (preconnect), and each can carry data away."
	warnHides     = "A stylesheet can hide or imitate parts of the console. The console without any theme is at the same address with ?safe=1."
	warnChanged   = "The script is not the one that was installed before."
	warnNew       = "The theme had no script until now."
	warnInvisible = "The script has invisible characters that can make its source read differently from what it does."
	warnLong      = "The script has lines of more than 500 characters: it was made for machines, and is hard to review."
)

func (p *Package) warnings(installed *Installed) []string {
	all := []string{}
	if p.Script != nil {
		all = append(all, warnActs, warnReads, warnLeaves)
		if i := installed; i != nil && !i.HasJS {
			all = append(all, warnNew)
		} else if i != nil && i.ScriptSHA256 != p.ScriptSHA256() {
			all = append(all, warnChanged)
		}
		// Some editors mark a file as UTF-8: at its very start, this hides nothing.
		seen := bytes.TrimPrefix(p.Script, []byte("\ufeff"))
		if bytes.ContainsFunc(bytes.ReplaceAll(seen, []byte("\r\n"), []byte("\n")), Invisible) {
			all = append(all, warnInvisible)
		}
		for line := range bytes.Lines(p.Script) {
			if len(line) > 500 {
				all = append(all, warnLong)
				break
			}
		}
	}
	return append(all, warnHides)
}

// Invisible tells whether a character of a script cannot be seen, has no meaning, looks
// like a space and is none, or turns the order of others. It is what the administration
// page names too (panel/src/admin/theme/source.ts). A lone carriage return ends a line of
// a script, and of no text that people look at.
func Invisible(r rune) bool {
	const blankBraille = '\u2800'
	return r != '\n' && r != '\t' && (!unicode.IsPrint(r) || r == blankBraille ||
		// With format characters, these are the default-ignorable ones; letters are among
		// them, such as U+3164, which can be the name of a variable.
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector))
}

// features are words of a script that a reviewer should stop at. They are found in the
// text, also in comments; and who wants to hide them can.
var features = []struct {
	form *regexp.Regexp
	why  string
}{
	{regexp.MustCompile(`\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(|\bset(?:Timeout|Interval)\s*\(\s*["'\x60]|\bimport\s*\(`), "may run a program that is not in this source"},
	{regexp.MustCompile(`\blocation\b|\bwindow\.open\b|\bhistory\.|\bnavigat(?:e|ion)\b`), "may lead the browser to another page"},
	{regexp.MustCompile(`\bRTCPeerConnection\b|\bRTCDataChannel\b`), "may open a connection that no policy stops"},
	{regexp.MustCompile(`\b(?:local|session)Storage\b|\bindexedDB\b|\bcaches\b|\bdocument\.cookie\b|\bcookieStore\b`), "may read what the browser keeps, such as the login"},
	{regexp.MustCompile(`\bfetch\s*\(|\bXMLHttpRequest\b|\bWebSocket\b|\bEventSource\b|\bsendBeacon\b|\bWorker\s*\(|\bserviceWorker\b`), "may ask the service for things, past the theme's functions"},
	{regexp.MustCompile(`\binnerHTML\b|\bouterHTML\b|\binsertAdjacentHTML\b|\bdocument\.write|\bcreateElement\s*\(\s*["'\x60](?i:script|iframe|link|img|form|object|embed|base|meta)`), "may put more than text on the page"},
	{regexp.MustCompile(`\bgetUserMedia\b|\bmediaDevices\b|\bMediaRecorder\b|\bclipboard\b`), "may use the microphone, the camera or the clipboard"},
	{regexp.MustCompile(`\batob\s*\(|\bfromCharCode\b|\\x[0-9a-fA-F]{2}\\x|\\u00[0-9a-fA-F]{2}\\u`), "may hide what it does"},
}

// hintsOf looks for features line by line.
func hintsOf(script []byte) []Hint {
	all := []Hint{}
	number := 0
	for line := range bytes.Lines(script) {
		number++
		for _, f := range features {
			at := f.form.FindIndex(line)
			if at == nil {
				continue
			}
			if len(all) == maxHints {
				return append(all, Hint{Line: number, What: "…", Why: "and more lines from here on"})
			}
			from := max(0, at[0]-20)
			all = append(all, Hint{Line: number, What: beginning(bytes.ToValidUTF8(line[from:], nil)), Why: f.why})
		}
	}
	return all
}
