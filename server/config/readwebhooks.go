package config

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"squelch/core"
	"squelch/server/nearest"
)

// Webhook is a receiver of events. It is read from the file only: never edited live,
// imported, or told to the administration page.
type Webhook struct {
	Name     string // unique, whatever the case
	URL      string // may have a secret in it
	Secret   string
	Events   []string       // some of WebhookEvents, in that order
	Template string         // "json", "discord", or the file of a template, absolute or beside the config file
	Private  []netip.Prefix // ranges inside of networks to which the URL may lead
	InClear  bool           // the URL is http: then it may lead nowhere else
	Zones    []string       // only what concerns these zones and Channels; both empty: everything
	Channels []core.Frequency
	Headers  map[string]string // sent besides

	file, path string // where it is
	lines      *lines
}

// WebhookEvents are the kinds of events that a webhook may ask for.
var WebhookEvents = []string{"alert", "panic", "acknowledged", "emergency", "transmission", "override", "patch", "user", "message", "login", "config", "health", "transcript"}

// Templates that the service has.
const (
	WebhookJSON    = "json"
	WebhookDiscord = "discord"
)

// Bounds of Config.webhooks.
const (
	maxWebhooks     = 32
	leastSecret     = 16 // 96 bits of base64
	maxHookHeaders  = 16
	maxHeaderBytes  = 1024
	templateEnding  = ".tmpl"
	makeAHookSecret = `make one with "openssl rand -hex 32", and give it to the receiver too`
)

var (
	hookName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$`)
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$") // a token (RFC 9110 section 5.6.2)
	// ownHeaders are set by the service, or by the connection.
	ownHeaders = []string{"host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection", "trailer", "te", "upgrade", "expect", "keep-alive", "user-agent", "proxy-connection"}
)

var webhookKeys = []string{"name", "url", "secret", "events", "template", "private", "zones", "channels", "headers"}

// webhooks reads Config.webhooks. Unlike elsewhere an unknown key is a mistake: a
// misspelt filter would send too much.
func (r *reader) webhooks(v value, c *core.Config, folder string) (hooks []Webhook) {
	for _, key := range webhookKeys {
		if !v.get(key).none() {
			r.fail(v.path, "must be a list of webhooks: wrap it in { { … } }")
			return nil
		}
	}
	list := v.list()
	if len(list) > maxWebhooks {
		r.fail(v.path, "has %d webhooks, the most are %d", len(list), maxWebhooks)
		return nil
	}
	for _, one := range list {
		if !one.table() {
			continue
		}
		h := r.webhook(one, c, folder)
		if slices.ContainsFunc(hooks, func(o Webhook) bool { return h.Name != "" && strings.EqualFold(o.Name, h.Name) }) {
			r.fail(field(one.path, "name"), "%s occurs twice", h.Name)
		}
		hooks = append(hooks, h)
	}
	return hooks
}

func (r *reader) webhook(v value, c *core.Config, folder string) Webhook {
	for _, e := range v.entries() {
		switch near := nearest.Name(e.name, webhookKeys); {
		case slices.Contains(webhookKeys, e.name):
		case near != "":
			r.fail(e.value.path, "is unknown; did you mean %s?", near)
		default:
			r.fail(e.value.path, "is unknown; a webhook has %s", strings.Join(webhookKeys, ", "))
		}
	}
	h := Webhook{path: v.path, file: r.file, lines: r.lines}
	name := v.get("name")
	switch h.Name = strings.TrimSpace(name.text("")); {
	case name.none():
		r.fail(name.path, "is missing")
	case !hookName.MatchString(h.Name):
		name.wrong("a name of 1 to 40 letters, digits, spaces, points, dashes and underscores, such as dispatch-log")
	}
	for _, p := range v.get("private").scalars() {
		if prefix, ok := p.prefix(); ok {
			h.Private = append(h.Private, prefix)
		}
	}
	r.hookURL(v.get("url"), &h)
	secret := v.get("secret")
	switch h.Secret = strings.TrimSpace(secret.text("")); { // what it is must not get into a log
	case secret.none(), h.Secret == "":
		r.fail(secret.path, "is missing: with it a receiver checks that a call comes from here; %s", makeAHookSecret)
	case len(h.Secret) < leastSecret:
		r.fail(secret.path, "must have at least %d characters, not %d; %s", leastSecret, len(h.Secret), makeAHookSecret)
	}
	h.Events = r.hookEvents(v.get("events"))
	r.hookTemplate(v.get("template"), &h, folder)
	for _, z := range v.get("zones").scalars() {
		if zone := r.zoneNamed(z, c); zone != "" && !slices.Contains(h.Zones, zone) {
			h.Zones = append(h.Zones, zone)
		}
	}
	for _, ch := range v.get("channels").scalars() {
		h.Channels = append(h.Channels, r.channelsNamed(ch, c)...)
	}
	slices.Sort(h.Channels)
	h.Channels = slices.Compact(h.Channels)
	h.Headers = r.hookHeaders(v.get("headers"))
	return h
}

// hookURL reads the address. No error shows it: its path may be all that a receiver asks
// for.
func (r *reader) hookURL(v value, h *Webhook) {
	h.URL = strings.TrimSpace(v.text(""))
	u, err := url.Parse(h.URL)
	switch {
	case v.none(), h.URL == "":
		r.fail(v.path, "is missing: it takes an https URL")
		return
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "":
		r.fail(v.path, "must be an https URL such as https://hooks.example.org/squelch")
		return
	case u.User != nil:
		r.fail(v.path, `must not have a user name or password in it; headers = { Authorization = "Basic …" } sends them`)
		return
	case u.Fragment != "":
		r.fail(v.path, "must not have a fragment (#…): none is sent")
		return
	}
	if h.InClear = u.Scheme == "http"; !h.InClear {
		return
	}
	if len(h.Private) == 0 {
		r.fail(v.path, `must be https, because what is sent can be read on the way; http is for addresses inside of a network that private names, such as private = { "10.0.0.5" }`)
		return
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !slices.ContainsFunc(h.Private, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) }) {
		r.fail(v.path, "must be https, because private does not name its address")
	}
}

// hookEvents reads which events a webhook is sent, in the order of WebhookEvents.
func (r *reader) hookEvents(v value) (events []string) {
	if v.none() {
		r.fail(v.path, `is missing: it takes "all", or a list of %s`, strings.Join(WebhookEvents, ", "))
		return nil
	}
	asked := map[string]bool{}
	for _, e := range v.scalars() {
		name := strings.TrimSpace(e.text(""))
		switch near := nearest.Name(name, append([]string{"all"}, WebhookEvents...)); {
		case name == "all":
			return slices.Clone(WebhookEvents)
		case slices.Contains(WebhookEvents, name):
			asked[name] = true
		case near != "":
			r.fail(e.path, "%q is no event; did you mean %s?", name, near)
		default:
			r.fail(e.path, "%q is no event; there are %s, and all", name, strings.Join(WebhookEvents, ", "))
		}
	}
	for _, e := range WebhookEvents {
		if asked[e] {
			events = append(events, e)
		}
	}
	if len(events) == 0 {
		r.fail(v.path, `is empty; it takes "all", or a list of %s`, strings.Join(WebhookEvents, ", "))
	}
	return events
}

func (r *reader) hookTemplate(v value, h *Webhook, folder string) {
	h.Template = strings.TrimSpace(v.text(WebhookJSON))
	own := []string{WebhookJSON, WebhookDiscord}
	switch near := nearest.Name(h.Template, own); {
	case slices.Contains(own, h.Template):
	case strings.HasSuffix(h.Template, templateEnding):
		h.Template = beside(folder, h.Template)
	case near != "":
		r.fail(v.path, "%q is no template; did you mean %s?", h.Template, near)
	default:
		v.wrong(`"json", "discord", or a file whose name ends in ` + templateEnding)
	}
}

func (r *reader) hookHeaders(v value) map[string]string {
	if !v.table() {
		return nil
	}
	headers := map[string]string{}
	for _, e := range v.entries() {
		text := e.value.text("")
		lower := strings.ToLower(e.name)
		switch { // a value may be a secret
		case !headerName.MatchString(e.name):
			r.fail(e.value.path, "is no name of a header")
		case slices.Contains(ownHeaders, lower), strings.HasPrefix(lower, "squelch-"):
			r.fail(e.value.path, "is set by the service")
		case text == "", len(text) > maxHeaderBytes, strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }):
			r.fail(e.value.path, "must be a text of 1 to %d bytes without control characters", maxHeaderBytes)
		default:
			headers[e.name] = text
		}
	}
	if len(headers) > maxHookHeaders {
		r.fail(v.path, "has %d headers, the most are %d", len(headers), maxHookHeaders)
	}
	return headers
}

// Host is what of a webhook's address may be shown: "https://hooks.example.org".
func (h Webhook) Host() string {
	u, err := url.Parse(h.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Mistake is an error about one of the webhook's values, with its place in the file.
func (h Webhook) Mistake(key, msg string) *Error {
	at := field(h.path, key)
	e := &Error{File: h.file, Key: at, Msg: msg}
	if h.lines != nil {
		e.Line = h.lines.of(at)
	}
	return e
}
