package script

import "strings"

// clip makes a script's text one line of bounded length, without what a terminal could
// take for commands.
func clip(text string) string {
	if len(text) > maxLine {
		text = text[:maxLine] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
