package themes

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// Removal is something that was taken out of a stylesheet.
type Removal struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"` // in characters, from 1
	What   string `json:"what"`   // the beginning of what was taken out
	Why    string `json:"why"`
}

// Sanitise takes out of a stylesheet what could load anything from outside the theme,
// and what is not known to be harmless: whole declarations and rules, never a part, and
// nothing is repaired. What stays is byte for byte what came, except that line ends are
// those of Unix. has tells which files there are, by their path from the stylesheet's
// folder; nil: none.
//
// It decides by tokens, not by what a rule means. A browser that reads what is left sees
// the same tokens; each of them is harmless wherever it stands; so it does not matter how
// a browser's idea of rules differs from the one here. What may reach out of the sheet is
//   - the URL of a file of the theme, of a fragment (#id), or data: of an image or a font.
//     An SVG in a data: URL is allowed: as an image it runs and loads nothing. With a
//     fragment of its own it would be a document, so "#" is not allowed there;
//   - a string in image-set(), under the same rules.
//
// Functions and at-rules are lists of what is known, so nothing that a future browser
// invents gets through.
func Sanitise(css []byte, has func(path string) bool) ([]byte, []Removal) {
	if has == nil {
		has = func(string) bool { return false }
	}
	return sanitise(css, has, func(string) string { return "" }, new(maxGuesses))
}

// sanitiseFile cleans the stylesheet name of a theme with the files names. guesses is how
// often it may still look for what was probably meant, in all stylesheets of the theme.
func sanitiseFile(name string, css []byte, names []string, guesses *int) ([]byte, []Removal) {
	dir := path.Dir(name)
	clean, removed := sanitise(css,
		func(p string) bool { return slices.Contains(names, path.Join(dir, p)) },
		func(p string) string { return near(path.Join(dir, p), names) }, guesses)
	for i := range removed {
		removed[i].File = name
	}
	return clean, removed
}

func sanitise(sheet []byte, has func(string) bool, near func(string) string, guesses *int) ([]byte, []Removal) {
	text := normal(sheet)
	s := &sanitiser{text: text, has: has, near: near, guesses: guesses}
	if len(text) > maxText {
		s.cuts = []cut{{0, len(text), "", fmt.Sprintf("the stylesheet has %d bytes; the limit is %d", len(text), maxText)}}
		return nil, s.removals()
	}
	s.lex()
	s.contents(0, len(s.tokens), inSheet)
	s.comments()
	return s.rest(), s.removals()
}

// normal does what a browser does before it looks for tokens, CSS Syntax 3, 3.2 and 3.3:
// without a byte order mark, one kind of line end, no NUL, only valid text.
func normal(sheet []byte) []byte {
	for bytes.HasPrefix(sheet, []byte("\ufeff")) {
		sheet = sheet[len("\ufeff"):]
	}
	return []byte(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n", "\x00", "\ufffd").Replace(
		strings.ToValidUTF8(string(sheet), "\ufffd")))
}

type token struct {
	css.TokenType
	text  string
	at    int    // byte in the sheet
	match int    // of a bracket: the token that closes it; -1: none does
	bad   string // why it must not stay, whatever it stands in
}

// cut is a piece that goes. with is what stands in its place.
type cut struct {
	from, to  int
	with, why string
}

type sanitiser struct {
	text    []byte
	tokens  []token
	cuts    []cut
	has     func(string) bool
	near    func(string) string
	guesses *int // how often suggest may still look
}

// suggest is what was probably meant, for the first mistakes of a theme: it takes time,
// and a hostile theme has a hundred thousand.
func (s *sanitiser) suggest(near func() string) string {
	if *s.guesses <= 0 {
		return ""
	}
	*s.guesses--
	return near()
}

// lex makes the tokens, pairs the brackets, and marks the tokens that are bad anywhere.
func (s *sanitiser) lex() {
	lexer := css.NewLexer(parse.NewInputBytes(slices.Clone(s.text)))
	for at := 0; ; {
		tt, data := lexer.Next()
		if tt == css.ErrorToken {
			if at < len(s.text) { // what the lexer cannot read is one bad token
				s.tokens = append(s.tokens, token{TokenType: css.DelimToken, text: string(s.text[at:]), at: at, match: -1, bad: "cannot be read"})
			}
			break
		}
		s.tokens = append(s.tokens, token{TokenType: tt, text: string(data), at: at, match: -1})
		at += len(data)
	}
	var open []int
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.bad == "" {
			t.bad = s.badToken(i)
		}
		switch t.TokenType {
		case css.LeftBraceToken, css.LeftBracketToken, css.LeftParenthesisToken, css.FunctionToken:
			if open = append(open, i); len(open) > maxNesting {
				t.bad = fmt.Sprintf("has more than %d blocks and brackets within each other", maxNesting)
			}
		case css.RightBraceToken, css.RightBracketToken, css.RightParenthesisToken:
			if n := len(open); n > 0 && closes(s.tokens[open[n-1]].TokenType, t.TokenType) {
				s.tokens[open[n-1]].match = i
				open = open[:n-1]
			} else {
				t.bad = fmt.Sprintf("has a %q that closes nothing", t.text)
			}
		}
	}
}

func closes(left, right css.TokenType) bool {
	switch left {
	case css.LeftBraceToken:
		return right == css.RightBraceToken
	case css.LeftBracketToken:
		return right == css.RightBracketToken
	}
	return right == css.RightParenthesisToken
}

// refusedProperties run programs in some browser, or once did.
var refusedProperties = []string{"behavior", "-ms-behavior", "-moz-binding", "-o-link", "-o-link-source"}

// badToken finds what could be something else to a browser, or is bad in itself.
func (s *sanitiser) badToken(i int) string {
	t := &s.tokens[i]
	if strings.ContainsRune(t.text, utf8.RuneError) && t.TokenType != css.CommentToken {
		return "has bytes that are not text"
	}
	if t.TokenType != css.CommentToken && strings.Contains(strings.ToLower(t.text), "</style") {
		return "has </style in it"
	}
	switch t.TokenType {
	case css.BadStringToken:
		return "has a string that is not closed"
	case css.BadURLToken:
		return "has a url() that is written wrong"
	case css.StringToken:
		if !closed(t.text) {
			return "has a string that is not closed"
		}
		text := decode(t.text[1 : len(t.text)-1])
		if strings.ContainsRune(text, utf8.RuneError) {
			return "has an escape that is no character"
		}
		if outside(text) {
			return "has a string with an address outside the theme"
		}
	case css.CommentToken:
		if len(t.text) < 4 || !strings.HasSuffix(t.text, "*/") {
			return "has a comment that is not closed"
		}
	case css.CDOToken, css.CDCToken:
		return "has " + t.text + ", which belongs to HTML"
	case css.DelimToken:
		if !strings.Contains(".>+~*/=!&|-<^$%", t.text) {
			return fmt.Sprintf("has %+q where it means nothing", t.text)
		}
		next := s.afterComments(i)
		switch {
		case next == nil || next.text != "/":
		case t.text == "/":
			return "has //, which begins no comment in CSS; write /* … */"
		case t.text == "<":
			return "has </, which belongs to HTML"
		}
	case css.FunctionToken:
		name := strings.TrimSuffix(t.text, "(")
		if !plain(name) {
			return "has the function " + shown(t.text) + ") in a form that hides its name"
		}
		if _, ok := functions[strings.ToLower(name)]; !ok {
			return fmt.Sprintf("has the function %s(), which is not one that a theme can use%s", shown(name), s.suggest(func() string { return near(name, functionNames) }))
		}
	case css.URLToken:
		if !strings.EqualFold(t.text[:min(4, len(t.text))], "url(") {
			return "has a url() in a form that hides its name"
		}
		if strings.ContainsRune(decode(t.text), utf8.RuneError) {
			return "has an escape that is no character"
		}
	case css.IdentToken, css.HashToken, css.DimensionToken, css.AtKeywordToken, css.CustomPropertyNameToken:
		if strings.ContainsFunc(t.text, func(r rune) bool { return r >= utf8.RuneSelf && !identRune(r) }) {
			return "has a name with a sign that is no letter"
		}
		if t.TokenType == css.DimensionToken && !plain(strings.TrimLeft(t.text, "+-.0123456789")) {
			return "has a unit in a form that hides its name"
		}
		if t.TokenType == css.IdentToken {
			name, next := decode(t.text), s.afterComments(i)
			if strings.EqualFold(name, "progid") {
				return "has a program in a filter"
			}
			if name = strings.ToLower(name); slices.Contains(refusedProperties, name) && s.hasColon(i, len(s.tokens)) {
				return "has " + name + ", which runs a program in some browsers"
			}
			if next != nil && next.TokenType == css.LeftParenthesisToken && s.tokens[i+1].TokenType == css.CommentToken {
				return "has a comment between a name and its bracket"
			}
			if next != nil && next.TokenType == css.ColonToken && outsideForm.MatchString(name+":") {
				return "has an address outside the theme"
			}
		}
		if next := i + 1; t.TokenType != css.AtKeywordToken && next < len(s.tokens) && s.tokens[next].TokenType == css.LeftParenthesisToken {
			return "has a function whose name is not known: " + shown(t.text) + "()"
		}
	}
	return ""
}

// afterComments is the token after i that is no comment, nil: there is none.
func (s *sanitiser) afterComments(i int) *token {
	for i++; i < len(s.tokens); i++ {
		if s.tokens[i].TokenType != css.CommentToken {
			return &s.tokens[i]
		}
	}
	return nil
}

// plain tells whether a name has only ASCII and no escapes: there are two opinions on
// where other names end.
func plain(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || r == '\\' })
}

// identRune tells whether a sign that is not ASCII can be in a name by all editions of
// CSS Syntax 3, 4.2.
func identRune(r rune) bool {
	for _, span := range [...][2]rune{{0xb7, 0xb7}, {0xc0, 0xd6}, {0xd8, 0xf6}, {0xf8, 0x37d}, {0x37f, 0x1fff}, {0x200c, 0x200d},
		{0x203f, 0x2040}, {0x2070, 0x218f}, {0x2c00, 0x2fef}, {0x3001, 0xd7ff}, {0xf900, 0xfdcf}, {0xfdf0, 0xfffc}, {0x10000, unicode.MaxRune}} {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

// closed tells whether a string ends in its own quotation mark.
func closed(text string) bool {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i == len(text)-1
		}
	}
	return false
}

// decode undoes the escapes of a name, a string or a URL: CSS Syntax 3, 4.3.7.
func decode(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			i++
			continue
		}
		i++
		digits, value := 0, rune(0)
		for ; digits < 6 && i < len(text); digits++ {
			d := strings.IndexByte("0123456789abcdef", text[i]|0x20)
			if d < 0 || text[i] < '0' {
				break
			}
			value = value<<4 | rune(d)
			i++
		}
		switch {
		case digits > 0:
			if value == 0 || !utf8.ValidRune(value) {
				value = utf8.RuneError
			}
			b.WriteRune(value)
			if i < len(text) && strings.IndexByte(" \t\n", text[i]) >= 0 {
				i++
			}
		case i < len(text) && text[i] == '\n': // the string goes on in the next line
			i++
		case i < len(text):
			_, size := utf8.DecodeRuneInString(text[i:])
			b.WriteString(text[i : i+size])
			i += size
		}
	}
	return b.String()
}

// place is what a list of things is the content of.
type place int

const (
	inSheet     place = iota // rules
	inRule                   // declarations and rules
	inKeyframes              // rules without rules in them
	inList                   // declarations only
)

// contents goes through what is between two tokens.
func (s *sanitiser) contents(from, to int, in place) {
	for i := from; i < to; {
		t := &s.tokens[i]
		switch {
		case t.TokenType == css.WhitespaceToken:
			i++
		case t.TokenType == css.CommentToken && t.bad == "":
			i++
		case t.TokenType == css.SemicolonToken && (in == inRule || in == inList):
			i++
		case t.TokenType == css.AtKeywordToken:
			i = s.atRule(i, to, in)
		case in == inSheet && (t.TokenType == css.CDOToken || t.TokenType == css.CDCToken):
			i = s.cut(i, i+1, t.bad)
		case in == inSheet || in == inKeyframes:
			i = s.rule(i, s.find(i, to, false), to, in)
		default:
			end := s.find(i, to, true)
			if end < to && s.tokens[end].TokenType == css.LeftBraceToken {
				if t.TokenType != css.CustomPropertyNameToken || !s.hasColon(i, end) {
					i = s.rule(i, end, to, in)
					continue
				}
				for end < to && s.tokens[end].TokenType == css.LeftBraceToken { // --x: {…}
					if end = s.tokens[end].match; end < 0 {
						end = to
						break
					}
					end = s.find(end+1, to, true)
				}
			}
			i = s.declaration(i, end, to)
		}
	}
}

// find goes over brackets to the next "{" or, if semicolon, ";". It is to if there is none.
func (s *sanitiser) find(i, to int, semicolon bool) int {
	for i < to {
		switch t := &s.tokens[i]; t.TokenType {
		case css.LeftBraceToken:
			return i
		case css.SemicolonToken:
			if semicolon {
				return i
			}
		case css.LeftParenthesisToken, css.LeftBracketToken, css.FunctionToken:
			if t.match < 0 {
				return to
			}
			i = t.match
		}
		i++
	}
	return to
}

// hasColon tells whether the name at i is followed by ":".
func (s *sanitiser) hasColon(i, to int) bool {
	return s.skip(i+1, to) < to && s.tokens[s.skip(i+1, to)].TokenType == css.ColonToken
}

// skip goes over spaces and comments.
func (s *sanitiser) skip(i, to int) int {
	for i < to && (s.tokens[i].TokenType == css.WhitespaceToken || s.tokens[i].TokenType == css.CommentToken) {
		i++
	}
	return i
}

// cut takes the tokens from i out; it returns where to go on.
func (s *sanitiser) cut(i, end int, why string) int {
	to := len(s.text)
	if end < len(s.tokens) {
		to = s.tokens[end].at
	}
	s.cuts = append(s.cuts, cut{s.tokens[i].at, to, "", why})
	return end
}

// rule is a rule whose block opens at brace.
func (s *sanitiser) rule(i, brace, to int, in place) int {
	if brace >= to {
		return s.cut(i, to, cmp.Or(s.bad(i, to), "is neither a rule nor a declaration"))
	}
	end := s.tokens[brace].match
	if end < 0 {
		return s.cut(i, to, "has a block that is not closed")
	}
	if in == inList {
		return s.cut(i, end+1, "is a rule where there can be none")
	}
	if why := cmp.Or(s.bad(i, brace+1), s.badPrelude(i, brace)); why != "" {
		return s.cut(i, end+1, why)
	}
	if s.skip(i, brace) == brace {
		return s.cut(i, end+1, "is a block without a selector")
	}
	inner := inRule
	if in == inKeyframes {
		inner = inList
	}
	s.contents(brace+1, end, inner)
	return end + 1
}

// bad is why one of these tokens must not stay.
func (s *sanitiser) bad(from, to int) string {
	for i := from; i < to; i++ {
		if why := s.tokens[i].bad; why != "" {
			return why
		}
	}
	return ""
}

// badPrelude is what is wrong with a selector or with what follows an at-keyword.
func (s *sanitiser) badPrelude(from, to int) string {
	for i := from; i < to; i++ {
		switch t := &s.tokens[i]; t.TokenType {
		case css.URLToken:
			return "has a url() outside a declaration"
		case css.FunctionToken:
			if functions[strings.ToLower(t.text[:len(t.text)-1])] == loads {
				return "has " + t.text + ") outside a declaration"
			}
		case css.AtKeywordToken:
			return "has " + shown(t.text) + " in the middle of a rule"
		case css.UnicodeRangeToken:
			return fmt.Sprintf("has %s, which can be read in two ways; put spaces around the +", t.text)
		case css.SemicolonToken:
			return `has a ";" in front of its block`
		case css.LeftBraceToken, css.RightBraceToken:
			return "has a block in front of its block"
		}
	}
	return ""
}

// atRules is every at-rule that a theme can have.
var atRules = map[string]struct {
	in     place
	nested bool // it may be within a rule
	group  bool // its content is what is around it
}{
	"media": {nested: true, group: true}, "supports": {nested: true, group: true}, "container": {nested: true, group: true},
	"layer": {nested: true, group: true}, "scope": {nested: true, group: true}, "starting-style": {nested: true, group: true},
	"keyframes": {in: inKeyframes}, "-webkit-keyframes": {in: inKeyframes}, "font-face": {in: inList}, "property": {in: inList},
}

var atRuleNames = sortedNames(atRules)

// refusedAtRules are those that somebody may miss, and why.
var refusedAtRules = map[string]string{
	"import":    "loads another stylesheet; put its rules into this one",
	"namespace": "names an address, and the console has no use for it",
	"charset":   "is not needed: stylesheets are UTF-8",
}

func (s *sanitiser) atRule(i, to int, in place) int {
	name := strings.ToLower(strings.TrimPrefix(s.tokens[i].text, "@"))
	brace := s.find(i, to, true)
	end, block := brace, false // the last token
	if brace < to && s.tokens[brace].TokenType == css.LeftBraceToken {
		end, block = s.tokens[brace].match, true
		if end < 0 {
			end = to
		}
	}
	after := min(end+1, to)
	rule, known := atRules[name]
	switch {
	case !plain(name):
		return s.cut(i, after, "is an at-rule in a form that hides its name")
	case refusedAtRules[name] != "":
		return s.cut(i, after, "@"+name+" "+refusedAtRules[name])
	case !known:
		return s.cut(i, after, fmt.Sprintf("@%s is not an at-rule that a theme can have%s", shown(name), s.suggest(func() string { return near(name, atRuleNames) })))
	case end >= to:
		return s.cut(i, to, cmp.Or(s.bad(i, brace), "has a block that is not closed"))
	case in == inList || in == inKeyframes || in == inRule && !rule.nested:
		return s.cut(i, after, "@"+name+" cannot be here")
	}
	if why := cmp.Or(s.bad(i, min(brace+1, to)), s.badPrelude(i+1, brace)); why != "" {
		return s.cut(i, after, why)
	}
	if !block {
		if name == "layer" {
			return after // @layer a, b;
		}
		return s.cut(i, after, "@"+name+" has no block")
	}
	inner := rule.in
	if rule.group {
		inner = in
	}
	s.contents(brace+1, end, inner)
	return after
}

// declaration is from a name to a ";", or to the end of its block.
func (s *sanitiser) declaration(i, end, to int) int {
	after := min(end+1, to)
	name := &s.tokens[i]
	if why := s.bad(i, end); why != "" {
		return s.cut(i, after, why)
	}
	if name.TokenType != css.IdentToken && name.TokenType != css.CustomPropertyNameToken || !s.hasColon(i, end) {
		return s.cut(i, after, "is neither a rule nor a declaration")
	}
	property := strings.ToLower(decode(name.text))
	for j := i + 1; j < end; j++ {
		if why := s.badValue(j, property); why != "" {
			return s.cut(i, after, why)
		}
	}
	return after
}

// badValue is what is wrong with a token of a value.
func (s *sanitiser) badValue(j int, property string) string {
	switch t := &s.tokens[j]; t.TokenType {
	case css.AtKeywordToken:
		return "has " + shown(t.text) + " in a value"
	case css.UnicodeRangeToken:
		if property != "unicode-range" {
			return "has a range of characters, which only unicode-range can have"
		}
	case css.URLToken:
		address, ok := addressOf(t.text)
		if !ok {
			return "has a url() that is written wrong"
		}
		return s.badURL(address)
	case css.FunctionToken:
		switch functions[strings.ToLower(t.text[:len(t.text)-1])] {
		case loads:
			return s.badImageSet(j, t.match)
		case reads:
			return s.badAttr(j, t.match)
		}
	}
	return ""
}

// badImageSet lets nothing into image-set() but addresses that are written there: with
// var() in it, a string from anywhere would become an address.
func (s *sanitiser) badImageSet(from, to int) string {
	for i := from + 1; i < to; i++ {
		switch t := &s.tokens[i]; t.TokenType {
		case css.StringToken:
			if why := s.badURL(decode(t.text[1 : len(t.text)-1])); why != "" {
				return why
			}
		case css.FunctionToken:
			if !strings.EqualFold(t.text, "type(") {
				return "has " + t.text + ") in image-set(); it can have url(), texts, resolutions and type() there"
			}
			k := s.skip(i+1, t.match)
			if k == t.match || s.tokens[k].TokenType != css.StringToken || s.skip(k+1, t.match) != t.match {
				return "has a type() that is not one text"
			}
			i = t.match
		case css.WhitespaceToken, css.CommentToken, css.CommaToken, css.URLToken, css.NumberToken, css.DimensionToken:
		default:
			if i < to {
				return "has " + shown(t.text) + " in image-set(); it can have url(), texts, resolutions and type() there"
			}
		}
	}
	return ""
}

// badAttr refuses to make an address of an attribute.
func (s *sanitiser) badAttr(from, to int) string {
	for i := from + 1; i < to; i++ {
		switch t := &s.tokens[i]; t.TokenType {
		case css.FunctionToken, css.URLToken:
			return "has " + shown(t.text) + " in attr()"
		case css.IdentToken:
			if name := strings.ToLower(decode(t.text)); name == "url" || name == "src" {
				return "makes an address of an attribute"
			}
		}
	}
	return ""
}

// comments replaces those that developer tools load something for. An empty comment
// stays, because it divides two names.
func (s *sanitiser) comments() {
	for _, t := range s.tokens {
		if t.TokenType != css.CommentToken || t.bad != "" {
			continue
		}
		inner := strings.ToLower(strings.TrimSpace(t.text[2 : len(t.text)-2]))
		switch {
		case strings.HasPrefix(inner, "#"), strings.HasPrefix(inner, "@"), strings.Contains(inner, "sourcemappingurl"), strings.Contains(inner, "sourceurl"):
			s.cuts = append(s.cuts, cut{t.at, t.at + len(t.text), "/**/", "is a comment that developer tools load a file for"})
		case strings.Contains(inner, "</style"):
			s.cuts = append(s.cuts, cut{t.at, t.at + len(t.text), "/**/", "has </style in it"})
		case strings.ContainsRune(inner, utf8.RuneError):
			s.cuts = append(s.cuts, cut{t.at, t.at + len(t.text), "/**/", "has bytes that are not text"})
		}
	}
	slices.SortStableFunc(s.cuts, func(a, b cut) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	end := 0
	s.cuts = slices.DeleteFunc(s.cuts, func(c cut) bool { // a comment in a rule that goes
		if c.to <= end {
			return true
		}
		end = c.to
		return false
	})
}

// rest is the sheet without what was cut.
func (s *sanitiser) rest() []byte {
	out, at := make([]byte, 0, len(s.text)), 0
	for _, c := range s.cuts {
		out = append(append(out, s.text[at:c.from]...), c.with...)
		at = c.to
	}
	return append(out, s.text[at:]...)
}

// removals is the report.
func (s *sanitiser) removals() []Removal {
	var all []Removal
	line, column, at := 1, 1, 0
	for i, c := range s.cuts {
		for _, r := range string(s.text[at:c.from]) {
			if column++; r == '\n' {
				line, column = line+1, 1
			}
		}
		at = c.from
		if len(all) == maxRemoved {
			all = append(all, Removal{Line: line, Column: column, What: "…", Why: fmt.Sprintf("and %d more from here on", len(s.cuts)-i)})
			break
		}
		all = append(all, Removal{Line: line, Column: column, What: beginning(s.text[c.from:c.to]), Why: c.why})
	}
	return all
}

// beginning is the first words of a piece, on one line.
func beginning(piece []byte) string {
	const most = 80
	return shown(strings.Join(strings.Fields(string(piece[:min(len(piece), 4*most)])), " "))
}
