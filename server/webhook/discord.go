package webhook

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"

	"squelch/core"
)

// Limits of an embed, in characters, and of its colour (Discord's developer
// documentation: "Embed Limits", "Execute Webhook").
const (
	discordTitle       = 256
	discordDescription = 4096
	discordFields      = 25
	discordFieldName   = 256
	discordFieldValue  = 1024
	discordFooter      = 2048
	discordEmbed       = 6000 // title, description, names and values of fields, footer together
)

type discordMessage struct {
	Embeds   []discordEmbedded `json:"embeds"`
	Mentions discordMentions   `json:"allowed_mentions"`
}

// discordMentions with an empty list pings nobody, whatever a unit is called.
type discordMentions struct {
	Parse []string `json:"parse"`
}

type discordEmbedded struct {
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	Timestamp   string          `json:"timestamp"`
	Color       int             `json:"color"`
	Fields      []discordField  `json:"fields,omitempty"`
	Footer      discordFootnote `json:"footer"`
}

type discordField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline"`
}

type discordFootnote struct {
	Text string `json:"text"`
}

// Colours of embeds, as the console has them: red for what endangers somebody, amber for
// alerts, green for what is over or well, blue for dispatch, grey for the rest.
const (
	red, amber, green, blue, grey = 0xd92d20, 0xf79009, 0x12b76a, 0x2e90fa, 0x667085
)

// look is the title and the colour of a kind.
type look struct {
	title  string
	colour int
}

var looks = map[string]look{
	core.MomentTransmission: {"Transmission", grey}, core.MomentOverride: {"Override", blue},
	core.MomentAlert: {"Alert", amber}, core.MomentAlertCleared: {"Alert cleared", green}, core.MomentAlertOnce: {"Alert, once", amber},
	core.MomentPanic: {"PANIC", red}, core.MomentPanicCleared: {"Panic cleared", green},
	core.MomentEmergencyAcknowledged: {"Emergency acknowledged", amber}, core.MomentEmergencyEnded: {"Emergency ended", green},
	core.MomentEmergencyClosed: {"Emergency closed", green},
	core.MomentPatchOn:         {"Patch", blue}, core.MomentPatchChanged: {"Patch changed", blue}, core.MomentPatchOff: {"Patch removed", blue},
	core.MomentMoved: {"Moved", blue}, core.MomentDisconnected: {"Disconnected", blue}, core.MomentCallsign: {"Callsign", grey}, core.MomentNac: {"NAC", grey},
	core.MomentConnected: {"Connected", grey}, core.MomentLeft: {"Left", grey}, core.MomentMessage: {"Message", blue}, core.MomentBroadcast: {"Broadcast", blue},
	core.MomentLogin: {"Login", grey}, core.MomentLogout: {"Logout", grey}, core.MomentLoginRefused: {"Login refused", amber}, core.MomentConfig: {"Configuration changed", grey},
	kindTranscript: {"Transcript", grey}, kindTest: {"Test", grey},
}

// discord is the template "discord": one embed.
func discord(p *Payload) ([]byte, error) {
	l, known := looks[p.Kind]
	if !known {
		l = look{p.Kind, grey}
	}
	if p.Kind == core.MomentHealth {
		if l = (look{"Trouble", red}); p.Reason == "" {
			l = look{"Well again", green}
		}
	}
	who := p.UnitID
	if p.Name != "" && p.Name != who {
		who = strings.TrimSpace(who + " " + p.Name)
	}
	at, err := iso(max(p.At, p.EndedAt))
	if err != nil {
		return nil, err
	}
	e := discordEmbedded{Title: l.title, Color: l.colour, Timestamp: at, Footer: discordFootnote{cut(nonEmpty(strings.TrimSpace(p.Radio), "Squelch"), discordFooter)}}
	if who != "" {
		e.Title += ": " + who
	}
	e.Title = cutMarkdown(e.Title, discordTitle)
	e.Description = cutMarkdown(strings.TrimSpace(describe(p)), discordDescription)
	left := discordEmbed - length(e.Title) - length(e.Description) - length(e.Footer.Text)
	add := func(name, value string) {
		if value = strings.TrimSpace(value); value == "" || len(e.Fields) == discordFields {
			return
		}
		f := discordField{Name: cut(name, discordFieldName), Value: cutMarkdown(value, min(discordFieldValue, left-length(name))), Inline: true}
		if f.Value != "" {
			left -= length(f.Name) + length(f.Value)
			e.Fields = append(e.Fields, f)
		}
	}
	add("Channel", channelText(p))
	if p.DurationMs > 0 {
		add("Length", strconv.FormatFloat(float64(p.DurationMs)/1000, 'f', 1, 64)+" s"+cutOff(p))
	}
	add("Channels", strings.Join(p.Frequencies, ", "))
	add("By", p.ByName)
	add("Emergency", p.EmergencyID)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err = enc.Encode(discordMessage{[]discordEmbedded{e}, discordMentions{[]string{}}})
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// cutOff says of a length that it may have been more.
func cutOff(p *Payload) string {
	if p.Cut {
		return ", cut off"
	}
	return ""
}

// describe is the text of an embed.
func describe(p *Payload) string {
	switch {
	case p.Transcript != "":
		return p.Transcript
	case p.Kind == core.MomentHealth && p.Reason != "":
		return p.Detail + ": " + p.Reason
	case p.Detail != "" && p.Reason != "":
		return p.Detail + " (" + p.Reason + ")"
	}
	return p.Detail + p.Reason
}

func channelText(p *Payload) string {
	f := nonEmpty(p.ControlFrequency, p.Frequency)
	if p.Channel == "" || f == "" {
		return f
	}
	return p.Channel + " (" + f + ")"
}

func nonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// marks have a meaning in Discord's Markdown, or begin a mention, an emoji or a time.
const marks = "\\*_~`|>#-[]()<:@!"

// markdown escapes a text so that it is shown as it is.
func markdown(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c < 0x80 && strings.ContainsRune(marks, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// cutMarkdown escapes a text and makes it fit, without cutting an escape in two.
func cutMarkdown(s string, most int) string {
	whole := markdown(s)
	if length(whole) <= most {
		return whole
	}
	var b strings.Builder
	room := most - 1 // for the sign that there is more
	for _, c := range s {
		one := markdown(string(c))
		if room -= length(one); room < 0 {
			break
		}
		b.WriteString(one)
	}
	if most < 1 {
		return ""
	}
	return b.String() + "…"
}

// cut makes a text fit.
func cut(s string, most int) string {
	if length(s) <= most {
		return s
	}
	var b strings.Builder
	room := most - 1
	for _, c := range s {
		if room -= utf16.RuneLen(c); room < 0 {
			break
		}
		b.WriteRune(c)
	}
	if most < 1 {
		return ""
	}
	return b.String() + "…"
}

// length counts as Discord's clients do: in units of UTF-16.
func length(s string) (n int) {
	for _, c := range s {
		n += max(utf16.RuneLen(c), 1)
	}
	return n
}
