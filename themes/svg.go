package themes

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// refusedElements of an SVG run something, or show another document.
var refusedElements = []string{"script", "foreignobject", "iframe", "object", "embed", "audio", "video", "handler", "listener"}

// checkSVG demands an SVG that is only a picture. As an image it could do nothing in any
// case; but a stylesheet can also point into it, and a person can open it.
func checkSVG(data []byte) error {
	if err := checkText(data); err != nil {
		return err
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	root, style := "", 0
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		line, _ := d.InputPos()
		bad := func(format string, args ...any) error {
			return fmt.Errorf("line %d "+format+"; an SVG of a theme is only a picture", append([]any{line}, args...)...)
		}
		if err != nil {
			return fmt.Errorf("is not valid XML: %w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			name := strings.ToLower(t.Name.Local)
			if root == "" {
				root = name
			}
			if slices.Contains(refusedElements, name) {
				return bad("has <%s>", name)
			}
			if name == "style" {
				style++
			}
			for _, a := range t.Attr {
				if why := badAttribute(name, a); why != "" {
					return bad("%s", why)
				}
			}
		case xml.EndElement:
			if strings.EqualFold(t.Name.Local, "style") {
				style--
			}
		case xml.CharData:
			if style > 0 {
				if _, removed := Sanitise(t, nil); len(removed) > 0 {
					return bad("has a style with %s: it %s", removed[0].What, removed[0].Why)
				}
			}
		case xml.ProcInst:
			if t.Target != "xml" {
				return bad("has <?%s", shown(t.Target))
			}
		case xml.Directive:
			if bytes.ContainsAny(t, "[]") || !strings.HasPrefix(strings.ToUpper(string(t)), "DOCTYPE") {
				return bad("has a declaration of its own")
			}
		}
	}
	if root != "svg" {
		return errors.New("is not an SVG picture, as its name says")
	}
	return nil
}

func badAttribute(element string, a xml.Attr) string {
	name, value := strings.ToLower(a.Name.Local), a.Value
	space := strings.ToLower(a.Name.Space)
	switch {
	case space == "xmlns" || name == "xmlns":
		return ""
	case strings.HasPrefix(name, "on"):
		return fmt.Sprintf("has %s=…, which is a script", shown(a.Name.Local))
	case space == "xml" && name == "base":
		return "has xml:base"
	case name == "href" || name == "src":
		address := resolved(value)
		if address != "" && address[0] != '#' && !(dataForm.MatchString(address) && strings.HasPrefix(strings.ToLower(address), "data:image/")) {
			return fmt.Sprintf("has %s=%q, which leads out of the picture", name, shown(value))
		}
	case name == "attributename" && (strings.HasSuffix(strings.ToLower(value), "href") || strings.HasPrefix(strings.ToLower(strings.TrimSpace(value)), "on")):
		return fmt.Sprintf("changes %s in <%s>", shown(value), element)
	case name == "style":
		if _, removed := Sanitise([]byte("svg{"+value+"}"), nil); len(removed) > 0 {
			return fmt.Sprintf("has a style with %s: it %s", removed[0].What, removed[0].Why)
		}
	case strings.Contains(strings.ToLower(value), "url") && strings.Contains(value, "(") || strings.Contains(value, `\`) && strings.Contains(value, "("):
		if _, removed := Sanitise([]byte("svg{fill:"+value+"}"), nil); len(removed) > 0 {
			return fmt.Sprintf("has %s=%q: it %s", shown(a.Name.Local), shown(value), removed[0].Why)
		}
	}
	return ""
}
