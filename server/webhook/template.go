package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

	"squelch/server/config"
	"squelch/server/nearest"
)

// render makes the body of an event.
type render func(p *Payload) ([]byte, error)

// renderOf finds the template of a webhook. The error is a *config.Error, or of reading
// the file.
func renderOf(h config.Webhook) (render, error) {
	switch h.Template {
	case config.WebhookJSON:
		return plainJSON, nil
	case config.WebhookDiscord:
		return discord, nil
	}
	src, err := readTemplate(h.Template)
	if err != nil {
		return nil, h.Mistake("template", err.Error())
	}
	return compile(h, src)
}

func readTemplate(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file", path)
	}
	src, err := io.ReadAll(io.LimitReader(f, maxTemplate+1))
	if err == nil && len(src) > maxTemplate {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxTemplate)
	}
	return string(src), err
}

// plainJSON is the template "json".
func plainJSON(p *Payload) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(p)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// compile reads an operator's template (Go's text/template), and tries it with an event
// of every kind that the webhook is sent. It has no functions that reach a file, the
// network or the process; it ends, because it can only go through lists of the event; and
// what it makes is bounded on the way.
func compile(h config.Webhook, src string) (render, error) {
	name := filepath.Base(h.Template)
	t, err := template.New(name).Option("missingkey=error").Funcs(functions).Parse(src)
	if err == nil {
		err = fence(t, name)
	}
	if err != nil {
		return nil, mistake(h, err)
	}
	make := func(p *Payload) ([]byte, error) {
		out := &bounded{most: maxBody}
		if err := t.Execute(out, p.fields()); err != nil {
			return nil, err
		}
		body := bytes.TrimSpace(out.b)
		var any json.RawMessage
		if err := json.Unmarshal(body, &any); err != nil {
			return nil, notJSON(body, err)
		}
		return body, nil
	}
	for _, p := range samples(h.Events) {
		if _, err := make(p); err != nil {
			e := mistake(h, err)
			e.Msg += " (tried with an event of kind " + p.Kind + ")"
			return nil, e
		}
	}
	return make, nil
}

// located is where text/template says that something is wrong.
var located = regexp.MustCompile(`^template: (.*?):(\d+)(?::\d+)?: (?s:(.*))$`)

// mistake is an error of a template, with its own file and line.
func mistake(h config.Webhook, err error) *config.Error {
	e := h.Mistake("template", err.Error())
	if m := located.FindStringSubmatch(err.Error()); m != nil {
		e.File, e.Key, e.Msg = h.Template, "", m[3]
		e.Line, _ = strconv.Atoi(m[2])
	}
	if m := noKey.FindStringSubmatch(e.Msg); m != nil {
		e.Msg = "an event has no " + m[1]
		if near := nearest.Name(m[1], fieldNames()); near != "" {
			e.Msg += "; did you mean " + near + "?"
		}
	}
	return e
}

var noKey = regexp.MustCompile(`map has no entry for key "(.*?)"`)

func notJSON(body []byte, err error) error {
	at := int64(len(body))
	if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		at = s.Offset
	}
	line := 1 + bytes.Count(body[:min(at, int64(len(body)))], []byte("\n"))
	return fmt.Errorf("it makes no JSON: %w, in line %d of what it makes (texts take {{json .name}}, without quotes)", err, line)
}

// fence refuses what could run for ever: templates that call templates, and ranges over
// anything but a list of the event.
func fence(t *template.Template, name string) error {
	for _, each := range t.Templates() {
		if each.Name() != name {
			where, _ := each.Tree.ErrorContext(each.Root)
			return fmt.Errorf("template: %s: define and block are not for webhooks", where)
		}
	}
	if t.Tree == nil || t.Root == nil {
		return errors.New("it is empty")
	}
	return fenced(t.Tree, t.Root)
}

func fenced(tree *parse.Tree, n parse.Node) error {
	at := func(n parse.Node, what string) error {
		where, _ := tree.ErrorContext(n)
		return fmt.Errorf("template: %s: %s", where, what)
	}
	lists := func(all ...*parse.ListNode) error {
		for _, l := range all {
			if l == nil {
				continue
			}
			for _, inner := range l.Nodes {
				if err := fenced(tree, inner); err != nil {
					return err
				}
			}
		}
		return nil
	}
	switch n := n.(type) {
	case *parse.ListNode:
		return lists(n)
	case *parse.TemplateNode:
		return at(n, "template is not for webhooks")
	case *parse.IfNode:
		return lists(n.List, n.ElseList)
	case *parse.WithNode:
		return lists(n.List, n.ElseList)
	case *parse.RangeNode:
		if !overField(n.Pipe) {
			return at(n, "range takes a list of the event, such as .frequencies")
		}
		return lists(n.List, n.ElseList)
	}
	return nil
}

// overField says whether a range goes over a field of the event.
func overField(p *parse.PipeNode) bool {
	if len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	_, is := p.Cmds[0].Args[0].(*parse.FieldNode)
	return is
}

// bounded is what a template makes, up to a limit.
type bounded struct {
	b    []byte
	most int
}

func (w *bounded) Write(b []byte) (int, error) {
	if len(w.b)+len(b) > w.most {
		return 0, fmt.Errorf("it makes more than %d bytes", w.most)
	}
	w.b = append(w.b, b...)
	return len(b), nil
}

// functions are those of templates. Those of text/template that can grow a text are
// replaced by ones that have a limit.
var functions = template.FuncMap{
	"json": func(v any) (string, error) {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		err := enc.Encode(v)
		return grown(strings.TrimSuffix(out.String(), "\n"), err)
	},
	"iso":      iso,
	"upper":    strings.ToUpper,
	"lower":    strings.ToLower,
	"cut":      func(s string, n int) string { return cut(s, n) },
	"markdown": func(s string) (string, error) { return grown(markdown(s), nil) },
	"print":    func(v ...any) (string, error) { return grown(fmt.Sprint(v...), nil) },
	"println":  func(v ...any) (string, error) { return grown(fmt.Sprintln(v...), nil) },
	"printf": func(format string, v ...any) (string, error) {
		if wide.MatchString(format) {
			return "", errors.New("printf takes no widths of more than 99 here")
		}
		return grown(fmt.Sprintf(format, v...), nil)
	},
	"html":     func(v any) (string, error) { return grown(template.HTMLEscapeString(fmt.Sprint(v)), nil) },
	"js":       func(v any) (string, error) { return grown(template.JSEscapeString(fmt.Sprint(v)), nil) },
	"urlquery": func(v any) (string, error) { return grown(template.URLQueryEscaper(v), nil) },
}

// wide is a format with a width or precision that takes memory.
var wide = regexp.MustCompile(`[0-9]{3}|\*`)

// grown refuses a text that has become too long: put together again and again it would
// fill the memory before it is written.
func grown(s string, err error) (string, error) {
	if err == nil && len(s) > maxBody {
		return "", fmt.Errorf("a text has more than %d bytes", maxBody)
	}
	return s, err
}

// iso is a time in ms since the epoch as ISO 8601; "" for none.
func iso(v any) (string, error) {
	ms, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	if err != nil {
		return "", errors.New("iso takes a time of the event, such as .at")
	}
	if ms == 0 {
		return "", nil
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z"), nil
}
