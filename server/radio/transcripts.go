package radio

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"time"

	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/logs"
	"squelch/server/outbound"
	"squelch/server/recordings"
	"squelch/server/transcribe"
)

// transcriptFolder is where recordings are while a program reads them, in the radio's
// folder.
const transcriptFolder = "transcribe"

// textsAfterRestart is how far back recordings without a text are tried again at the
// start: what is older is not waited for any more.
const textsAfterRestart = time.Hour

// openTranscriber starts what turns recordings into text, if the configuration names it,
// with those that an earlier process has left without.
func (r *Radio) openTranscriber() error {
	c, shelf := r.config.Server.Transcriber, r.shelf
	if c == nil || shelf == nil {
		return nil
	}
	engine, err := transcriber(c, filepath.Join(r.folder, transcriptFolder))
	if err != nil {
		return err
	}
	r.transcriber = transcribe.New(transcribe.Options{Engine: engine, WAV: c.WAV, AtOnce: c.AtOnce, Timeout: c.Timeout, MinVoice: c.MinVoice, Channels: c.Channels,
		Open: func(id string) (io.ReadCloser, error) {
			f, err := shelf.Open(id, recordings.Ogg)
			return f, deleted(err)
		},
		Keep: func(id, text string) error { return deleted(shelf.SetText(id, text)) },
		Tell: r.transcribed, Logf: logs.Printf(r.log, logs.Notice)})
	left := recordings.Query{From: time.Now().Add(-textsAfterRestart).UnixMilli()}
	for {
		page, next := shelf.List(left)
		for _, e := range page {
			if e.Text == "" && e.End != 0 {
				r.transcribe(e)
			}
		}
		if left.Before = next; next == "" {
			return nil
		}
	}
}

// transcribe has a recording turned into text. It never waits.
func (r *Radio) transcribe(e recordings.Entry) {
	if r.transcriber != nil {
		r.transcriber.Add(transcribe.Recording{ID: e.ID, Frequency: e.Frequency, Control: e.Control,
			Voice: time.Duration(e.VoiceMs) * time.Millisecond, Opus: e.Format == recordings.Ogg})
	}
}

// transcribed tells of a text that is on the shelf.
func (r *Radio) transcribed(id, text string) {
	r.hub.AnnounceTo(wire.ScopeRecordings, wire.Transcribed(id, text, time.Now().UnixMilli()))
	r.tellTranscript(id, text)
}

// deleted names the error of a recording that is gone as package transcribe does.
func deleted(err error) error {
	if errors.Is(err, recordings.ErrNotFound) {
		return fs.ErrNotExist
	}
	return err
}

// transcriber is the program or web service of the configuration.
func transcriber(c *config.Transcriber, folder string) (transcribe.Engine, error) {
	if len(c.Command) > 0 {
		return transcribe.OpenCommand(c.Command, folder)
	}
	client, err := transcriberClient(c)
	if err != nil {
		return nil, err
	}
	e := &transcribe.Endpoint{URL: c.URL, Field: c.Field, Client: client}
	for _, f := range c.Fields {
		e.Fields = append(e.Fields, [2]string{f.Name, f.Value})
	}
	for _, h := range c.Headers {
		e.Headers = append(e.Headers, [2]string{h.Name, h.Value})
	}
	return e, nil
}

func transcriberClient(c *config.Transcriber) (*http.Client, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, err
	}
	return outbound.NewClient(outbound.Options{Wait: c.Timeout, Idle: c.AtOnce, Guard: transcriberGuard(u, c.Private)}), nil
}

// transcriberGuard decides where a transcriber's address may lead: without encryption not
// into the internet.
func transcriberGuard(u *url.URL, private []netip.Prefix) outbound.Guard {
	return outbound.Guard{Host: u.Hostname(), Allowed: private, Only: u.Scheme == "http",
		Advice: "if that is meant, name the range in Config.transcriber.private"}
}

// transcripts is what became of recordings; nil: there is no transcriber. Why one failed is
// in the log alone, because it may name the engine's address.
func (r *Radio) transcripts() *wire.TranscriberState {
	if r.transcriber == nil {
		return nil
	}
	s := r.transcriber.State()
	return &wire.TranscriberState{Waiting: s.Waiting + s.Running, Done: s.Done, Silent: s.Silent, Failed: s.Failed + s.Dropped}
}
