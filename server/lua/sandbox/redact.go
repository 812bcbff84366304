package sandbox

import (
	"fmt"
	"strings"
)

// longSecret: a secret from this length on is taken out wherever it occurs, also
// inside a longer text. A shorter one could be a part of any word.
const longSecret = 12

// Redact takes secrets out of a Lua file: each string and number that is one of them,
// and each comment that has one in it. Lines keep their numbers. A secret that the
// file puts together from parts is not found. A short one that occurs more than once
// is refused: the file may mean something else by it.
func Redact(src, file string, secrets []string) (string, error) {
	tokens, err := scan(src, file)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	done, times := 0, map[string]int{}
	for _, t := range tokens {
		spelt := src[t.from:t.to]
		secret := secretIn(t.kind, spelt, secrets)
		if secret == "" {
			continue
		}
		if times[secret]++; t.kind != comment && times[secret] > 1 && len(secret) < longSecret {
			return "", &Error{file, t.line, fmt.Sprintf("this text is also a secret of the file: make the secret at least %d characters long", longSecret)}
		}
		out.WriteString(src[done:t.from])
		if t.kind == comment {
			out.WriteString("--[[ ]]")
			times[secret]--
		} else {
			out.WriteString(`""`)
		}
		out.WriteString(strings.Repeat("\n", strings.Count(spelt, "\n")))
		done = t.to
	}
	out.WriteString(src[done:])
	return out.String(), nil
}

// secretIn is the secret that a token is or has in it; "": none.
func secretIn(k kind, spelt string, secrets []string) string {
	for _, s := range secrets {
		switch {
		case s == "":
		case k == number && spelt == s,
			k == text && literal(spelt) == s,
			k == text && len(s) >= longSecret && strings.Contains(spelt, s),
			k == comment && strings.Contains(spelt, s):
			return s
		}
	}
	return ""
}

// literal is the content of a string without escapes.
func literal(spelt string) string {
	if spelt[0] != '[' {
		return spelt[1 : len(spelt)-1]
	}
	_, inside, _ := strings.Cut(spelt[1:], "[")
	inside = strings.TrimPrefix(inside, "\n")
	return inside[:strings.LastIndexByte(strings.TrimSuffix(inside, "]"), ']')]
}
