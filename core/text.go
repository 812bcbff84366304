package core

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts that people write are drawn beside each other: in lists, banners and the
// audit log. A control character in one can break the line of another, and a
// bidirectional control can reverse a line so that it reads as something else
// (Unicode TR 36, 2.4). The former is a program's mistake and is refused; the latter
// gets in when people copy and paste, and is left out.

// Line tidies a single line of text, from least to most characters long: a name,
// callsign or label. Control characters are refused; what cannot be drawn is left out, and
// other spaces become plain ones. The error is an *Error of kind Invalid for field.
func Line(field, text string, least, most int) (string, error) {
	text = strings.TrimSpace(text)
	if err := checkControls(field, text, ""); err != nil {
		return "", err
	}
	text = drawable(text)
	switch n := runes(text); {
	case n < least && least == 1:
		return "", invalid(field, field+" must not be empty")
	case n < least:
		return "", invalid(field, field+" must have at least "+itoa(least)+" characters")
	case n > most:
		return "", invalid(field, field+" is longer than "+itoa(most)+" characters")
	}
	return text, nil
}

// Prose tidies a message of 1 to most characters, which may have newlines and tabs
// and keeps the joiners that its script needs. The error is that of Line.
func Prose(field, text string, most int) (string, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if err := checkControls(field, text, "\n\t"); err != nil {
		return "", err
	}
	text = strings.Map(func(r rune) rune {
		if bidi(r) {
			return -1
		}
		return r
	}, text)
	switch {
	case strings.TrimSpace(drawable(text)) == "":
		return "", invalid(field, field+" is missing")
	case runes(text) > most:
		return "", invalid(field, field+" is longer than "+itoa(most)+" characters")
	}
	return text, nil
}

func checkControls(field, text, but string) error {
	if !utf8.ValidString(text) {
		return invalid(field, field+" is not UTF-8 text")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune(but, r) }) {
		return invalid(field, field+" must not contain control characters")
	}
	return nil
}

// bidi says whether r is a bidirectional control: U+061C, U+200E, U+200F, U+202A to
// U+202E, U+2066 to U+2069.
func bidi(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069)
}

// drawable leaves out what cannot be drawn on a line.
func drawable(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Zs, r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
}

// cut shortens a name to its first characters.
func cut(name string, most int) string {
	if r := []rune(name); len(r) > most {
		return strings.TrimSpace(string(r[:most]))
	}
	return name
}

// undirected leaves the bidirectional controls out of the string values of a JSON
// text, plain or escaped. Keys stay as they are, so that no two become the same.
func undirected(json string) string {
	var out strings.Builder
	for i := 0; i < len(json); {
		if json[i] != '"' {
			out.WriteByte(json[i])
			i++
			continue
		}
		end := i + 1
		for end < len(json) && json[end] != '"' {
			end += 1 + strings.Count(json[end:end+1], `\`) // skip the byte after a backslash
		}
		end = min(end+1, len(json))
		if value := json[i:end]; strings.HasPrefix(strings.TrimLeft(json[end:], " \t\r\n"), ":") {
			out.WriteString(value)
		} else {
			undirect(&out, value)
		}
		i = end
	}
	return out.String()
}

// undirect writes one JSON string without bidirectional controls.
func undirect(out *strings.Builder, value string) {
	for len(value) > 0 {
		size, drop := 1, false
		switch {
		case strings.HasPrefix(value, `\u`) && len(value) >= 6:
			n, err := strconv.ParseUint(value[2:6], 16, 16)
			size, drop = 6, err == nil && bidi(rune(n))
		case value[0] == '\\' && len(value) > 1:
			size = 2
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(value)
			drop = bidi(r)
		}
		if !drop {
			out.WriteString(value[:size])
		}
		value = value[size:]
	}
}

func runes(s string) int { return utf8.RuneCountInString(s) }

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
