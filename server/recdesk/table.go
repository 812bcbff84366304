package recdesk

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"squelch/core"
	"squelch/core/wire"
)

// told is an entry of the timeline as timeline.json has it.
type told struct {
	wire.TimelineEntry
	Channel string `json:"channel,omitempty"` // name of its channel now, or of the talkgroup
}

// retold adds the names of channels.
func retold(all []wire.TimelineEntry, names map[core.Frequency]string) []told {
	out := make([]told, len(all))
	for i := range all {
		out[i].TimelineEntry = all[i]
		for _, text := range []string{all[i].ControlFrequency, all[i].Frequency} {
			if f, err := core.ParseFrequency(text); err == nil && names[f] != "" {
				out[i].Channel = names[f]
			}
		}
	}
	return out
}

// table writes the timeline as CSV (RFC 4180), for people and spreadsheets.
func table(w io.Writer, all []told) error {
	t := csv.NewWriter(w)
	t.UseCRLF = true // RFC 4180, section 2
	_ = t.Write([]string{"time", "ended", "seconds", "cut", "kind", "server_id", "name", "unit", "channel", "frequency", "talkgroup", "patch", "by", "detail", "reason", "channels", "recording", "transcript"})
	for i := range all {
		e := &all[i]
		ended, seconds, id, recording := "", "", "", ""
		if e.EndedAt != 0 {
			ended, seconds = stamp(e.EndedAt), strconv.FormatFloat(float64(e.DurationMs)/1000, 'f', 1, 64)
		}
		if e.ServerID != 0 {
			id = e.ServerID.String()
		}
		if e.Recording != nil {
			recording = e.ID
		}
		err := t.Write([]string{stamp(e.At), ended, seconds, cutOff(e), cell(e.Kind), id, cell(e.Name), cell(e.UnitID), cell(e.Channel), e.Frequency, e.ControlFrequency, cell(e.PatchID),
			cell(e.ByName), cell(e.Detail), cell(reason(e)), strings.Join(e.Frequencies, " "), recording, cell(e.Transcript)})
		if err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}

// cutOff says what ended before its time: a transmission whose end nobody knows, or its
// recording alone.
func cutOff(e *told) string {
	switch {
	case e.Cut:
		return "transmission"
	case e.Recording != nil && e.Recording.Cut:
		return "recording"
	}
	return ""
}

// reason is that of an entry; trouble that has none is over.
func reason(e *told) string {
	if e.Kind == core.MomentHealth && e.Reason == "" {
		return "well again"
	}
	return e.Reason
}

// cell keeps spreadsheets from reading a text that a user chose as a formula (OWASP, CSV
// Injection). Where a comma is for decimals they part cells at semicolons, and take no
// notice of quotes within a cell: so a formula may begin after one, a tab or a line's end.
func cell(text string) string {
	var out strings.Builder
	begins := true
	for i, c := range text {
		if begins && formula(text[i:]) {
			out.WriteByte('\'')
		}
		begins = strings.ContainsRune(";\t\r\n", c)
		out.WriteRune(c)
	}
	return out.String()
}

// formula says whether a spreadsheet might take a cell that begins so for a formula. Some
// leave out spaces and quotes before it, and some take the wide signs for the others.
func formula(text string) bool {
	if text[0] == '\t' || text[0] == '\r' {
		return true
	}
	text = strings.TrimLeftFunc(text, func(c rune) bool { return c == '"' || unicode.IsSpace(c) })
	c, _ := utf8.DecodeRuneInString(text)
	return text != "" && strings.ContainsRune("=+-@＝＋－＠", c)
}
