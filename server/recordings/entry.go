package recordings

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unique"

	"squelch/core"
)

// The forms of a recording's files, which are also their extensions.
const (
	Ogg  = "ogg"
	IMBE = "imbe"
	WebM = "webm"
)

var kinds = [...]string{Ogg, IMBE, WebM}

// Entry is a recording: one burst.
type Entry struct {
	ID        string         `json:"id"`            // of the transmission
	Number    int            `json:"-"`             // of the transmission; part of ID
	Start     int64          `json:"-"`             // ms since the epoch; part of ID
	End       int64          `json:"end,omitempty"` // ms since the epoch; 0: it is on the air
	Frequency core.Frequency `json:"f"`
	Control   core.Frequency `json:"c,omitempty"` // base of its talkgroup
	Patch     int            `json:"patch,omitempty"`
	User      core.UserID    `json:"user,omitempty"`
	Name      string         `json:"name,omitempty"` // of the talker then, and its unit
	Unit      string         `json:"unit,omitempty"`
	Digital   bool           `json:"digital,omitempty"`
	Format    string         `json:"format"`          // Ogg or WebM; IMBE if there is nothing else
	Bytes     int64          `json:"bytes"`           // of the file of Format
	IMBEBytes int64          `json:"imbe,omitempty"`  // of the .imbe file beside it; 0: there is none
	VoiceMs   int64          `json:"ms,omitempty"`    // how long it plays, pauses included
	Packets   int            `json:"n,omitempty"`     // with voice; WebM: payloads
	Lost      int            `json:"lost,omitempty"`  // packets that are missing
	Peaks     []byte         `json:"peaks,omitempty"` // of the waveform; none: not made yet
	Cut       bool           `json:"cut,omitempty"`   // the service or the disk ended it, not the talker
	Text      string         `json:"text,omitempty"`  // transcript
}

// key orders recordings. It is the ID in numbers.
type key struct {
	start  int64
	number int
}

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.start, o.start), cmp.Compare(k.number, o.number))
}

func (k key) id() string { return core.Transmission{Number: k.number, StartedAt: k.start}.ID() }

// folder is where its files are, below the shelf's.
func (k key) folder() string { return time.UnixMilli(k.start).UTC().Format("2006-01-02/15") }

func (k key) file(kind string) string { return k.folder() + "/" + k.id() + "." + kind }

// lastStart is the end of the year 9999: the names of folders have four digits for it.
const lastStart = 253402300799999

// parseID reads what key.id makes, and nothing else.
func parseID(id string) (key, bool) {
	number, start, ok := strings.Cut(strings.TrimPrefix(id, "tx-"), "-")
	n, err := strconv.Atoi(number)
	at, startErr := strconv.ParseInt(start, 10, 64)
	k := key{at, n}
	return k, ok && err == nil && startErr == nil && n >= 0 && at >= 0 && at <= lastStart && k.id() == id
}

// label is a name or unit. The same one is in memory once, however many recordings have it.
type label struct{ text, folded string }

func labelOf(s string) unique.Handle[label] {
	return unique.Make(label{s, strings.ToLower(s)})
}

// record is an entry in memory, in a form that takes less of it. It does not change: who
// changes an entry puts another record in its place.
type record struct {
	start, end         int64
	dated              int64 // from when its age counts; 0: from its start
	frequency, control core.Frequency
	bytes, imbe        int64
	name, unit         unique.Handle[label]
	peaks, text        string
	number             int
	ms                 int64
	packets, lost      int32
	patch, user        int32
	form               uint8
	digital, cut       bool
}

func recordOf(k key, e *Entry, dated int64) *record {
	r := &record{
		start: k.start, number: k.number, end: e.End, dated: dated, frequency: e.Frequency, control: e.Control,
		bytes: e.Bytes, imbe: e.IMBEBytes, name: labelOf(e.Name), unit: labelOf(e.Unit),
		peaks: string(e.Peaks), text: e.Text, ms: e.VoiceMs, packets: int32(e.Packets), lost: int32(e.Lost),
		patch: int32(e.Patch), user: int32(e.User), digital: e.Digital, cut: e.Cut,
	}
	for i, kind := range kinds {
		if kind == e.Format {
			r.form = uint8(i)
		}
	}
	return r
}

func (r *record) key() key { return key{r.start, r.number} }

// size is what it takes on the disk, in bytes.
func (r *record) size() int64 { return r.bytes + r.imbe }

func (r *record) entry() Entry {
	e := Entry{
		ID: r.key().id(), Number: r.number, Start: r.start, End: r.end, Frequency: r.frequency, Control: r.control,
		Patch: int(r.patch), User: core.UserID(r.user), Name: r.name.Value().text, Unit: r.unit.Value().text,
		Digital: r.digital, Format: kinds[r.form], Bytes: r.bytes, IMBEBytes: r.imbe, VoiceMs: r.ms,
		Packets: int(r.packets), Lost: int(r.lost), Cut: r.cut, Text: r.text,
	}
	if r.peaks != "" {
		e.Peaks = []byte(r.peaks)
	}
	return e
}

// valid says whether an entry of the index can be one, as of anything that comes from
// outside.
func (e *Entry) valid() bool {
	return (e.Format == Ogg || e.Format == WebM || e.Format == IMBE) && e.Bytes >= 0 && e.IMBEBytes >= 0 &&
		e.VoiceMs >= 0 && len(e.Peaks) <= MaxPeaks && len(e.Text) <= MaxText
}

// clip keeps what comes from outside within the limits.
func (e *Entry) clip() {
	e.Name, e.Unit = cut(e.Name, maxName), cut(e.Unit, maxName)
	e.Text = cut(e.Text, MaxText)
	e.Peaks = e.Peaks[:min(len(e.Peaks), MaxPeaks)]
}

// cut shortens a text to at most this many bytes, without half a character at its end.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// isoTime writes ms since the epoch as people read it.
func isoTime(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
