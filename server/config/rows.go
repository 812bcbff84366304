package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"squelch/core"
)

// recordingRow says what is recorded, and how much is kept, in one line: "off", or "2 channels
// (DISP, TAC), kept 30 days, at most 10 GiB".
func (s *ServerConfig) recordingRow(c *core.Config) string {
	if !s.Recording.On {
		return "off"
	}
	on := s.Recording.Recorded(c)
	var names []string
	for _, z := range c.Zones {
		for _, ch := range z.Channels {
			if on[ch.Frequency] {
				delete(on, ch.Frequency)
				names = append(names, ch.Name)
			}
		}
	}
	if len(names) == 0 {
		return "no channels"
	}
	channels := "channels"
	if len(names) == 1 {
		channels = "channel"
	}
	return fmt.Sprintf("%d %s (%s), kept %d days, at most %.4g GiB", len(names), channels, strings.Join(names, ", "), s.Recording.Days, float64(s.Limits.RecordingBytes)/(1<<30))
}

// Services are what the radio does besides with what happens on it, as name, number
// (webhooks) and text, for a summary: recording, transcriber and webhooks, without what may be a secret.
func (l *Loaded) Services() [][3]string {
	rows := [][3]string{{"recording", "", l.Server.recordingRow(&l.Core)}}
	if t := l.Server.Transcriber; t != nil && len(t.Command) > 0 {
		rows = append(rows, [3]string{"transcriber", "", t.Command[0]})
	} else if t != nil {
		rows = append(rows, [3]string{"transcriber", "", Webhook{URL: t.URL}.Host()})
	}
	var hooks []string
	for _, h := range l.Server.Webhooks {
		hooks = append(hooks, h.Name+" to "+h.Host())
	}
	if len(hooks) > 0 {
		rows = append(rows, [3]string{"webhooks", strconv.Itoa(len(hooks)), strings.Join(hooks, ", ")})
	}
	return rows
}

// FolderMistake says what is wrong with the folder for recordings, as far as can be seen
// without writing; nil: nothing.
func (r *Recording) FolderMistake() *Error {
	if !r.On || r.Folder == "" {
		return nil
	}
	wrong := func(msg string) *Error { return &Error{Key: "recording.folder", Msg: msg} }
	folder := r.Folder
	info, err := os.Stat(folder)
	if os.IsNotExist(err) {
		folder = filepath.Dir(folder)
		if info, err = os.Stat(folder); os.IsNotExist(err) {
			return wrong(fmt.Sprintf("cannot be made: there is no folder %s", folder))
		}
	}
	switch {
	case err != nil:
		return wrong(err.Error())
	case !info.IsDir():
		return wrong(folder + " is no folder")
	case !writable(folder):
		return wrong("nothing can be written in " + folder)
	}
	return nil
}
