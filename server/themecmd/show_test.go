package themecmd

import "testing"

func TestWhatATerminalShows(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc":                 "a\tb\nc",
		"Grüße 📻":                 "Grüße 📻",
		"a\rb\x1b[2J\x7f\u0085":   `a\x0db\x1b[2J\x7f\x85`,
		"a\u00a0b\u00adc":         `a\xa0b\xadc`,
		"/*\u202e } \u2066if":     `/*\u{202e} } \u{2066}if`,
		"var \u3164, \uffa0 = 1":  `var \u{3164}, \u{ffa0} = 1`,
		"\u115f\u1160\u034f":      `\u{115f}\u{1160}\u{34f}`,
		"\u17b4\u180b\u180f":      `\u{17b4}\u{180b}\u{180f}`,
		"x\ufe0f\U000e0100\u2800": `x\u{fe0f}\u{e0100}\u{2800}`,
		"a\u2003b\u3000c":         `a\u{2003}b\u{3000}c`,
		"\u2065\ufff0\U000e0fff":  `\u{2065}\u{fff0}\u{e0fff}`,
	} {
		if got := plain(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
