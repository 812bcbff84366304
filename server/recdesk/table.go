package recdesk

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"squelch/core/wire"
)

// table writes the timeline as CSV (RFC 4180), for people and spreadsheets.
func table(w io.Writer, all []wire.TimelineEntry) error {
	t := csv.NewWriter(w)
	t.UseCRLF = true // RFC 4180, section 2
	_ = t.Write([]string{"time", "ended", "seconds", "kind", "server_id", "name", "unit", "frequency", "talkgroup", "patch", "by", "detail", "reason", "channels", "recording", "transcript"})
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
		err := t.Write([]string{stamp(e.At), ended, seconds, cell(e.Kind), id, cell(e.Name), cell(e.UnitID), e.Frequency, e.ControlFrequency, cell(e.PatchID),
			cell(e.ByName), cell(e.Detail), cell(e.Reason), strings.Join(e.Frequencies, " "), recording, cell(e.Transcript)})
		if err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}

// cell keeps spreadsheets from reading a text that a user chose as a formula (OWASP, CSV
// Injection).
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
