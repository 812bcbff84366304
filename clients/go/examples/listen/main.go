// Command listen logs who talks on some channels, and their alerts.
package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	client "squelch/clients/go"
	"squelch/clients/go/examples/bot"
	"squelch/core"
	"squelch/core/wire"
)

func main() {
	b := bot.New("listen", "listen logs who talks on channels, for how long, and the alerts of these channels.\n"+
		"Its key needs the scope read.")
	channels := b.String("channels", "154.755", "frequencies to listen to, separated by commas")
	id := b.Int("id", -40, "dispatcher id to ask for, negative")
	name := b.String("name", "Listen bot", "name on the radio")
	b.Main(func(ctx context.Context, c *client.Client) error {
		l := &log{names: map[core.UserID]string{}, since: map[talk]time.Time{}, channels: map[string]bool{}}
		var scan []wire.Frequency
		for _, text := range strings.Split(*channels, ",") {
			f, err := client.Frequency(strings.TrimSpace(text))
			if err != nil {
				return bot.Usage("--channels: %w", err)
			}
			scan = append(scan, f)
			l.channels[f.At.String()] = true
		}
		return l.run(ctx, c, core.UserID(*id), *name, scan)
	})
}

// talk is one user's transmission on one channel.
type talk struct {
	user      core.UserID
	frequency string
}

// log is what the bot knows. Only the link's handlers use it, one at a time.
type log struct {
	channels map[string]bool
	names    map[core.UserID]string
	since    map[talk]time.Time
}

func (l *log) run(ctx context.Context, c *client.Client, id core.UserID, name string, scan []wire.Frequency) error {
	link, err := c.Connect(ctx, id,
		client.OnChannelState(l.members),
		client.OnPlayerInfoUpdate(func(_ *client.Link, p wire.PlayerInfoUpdate) { l.named(p.ServerID, p.Name) }),
		client.OnTalkingState(l.talking),
		client.OnDispatchNotification(l.notified),
		client.OnLost(func(_ *client.Link, reason string) {
			clear(l.since) // their ends may be missed
			say("connection lost: %s", reason)
		}),
		client.OnConnected(func(_ *client.Link, recovered bool) { say("connected, recovered: %t", recovered) }),
		client.OnTrouble(func(_ *client.Link, err error) { say("trouble: %v", err) }),
	)
	if err != nil {
		return err
	}
	defer link.Close()
	text := wire.Text(name)
	if err := link.UpdateUserInfo(ctx, wire.UpdateUserInfo{Name: &text}); err != nil {
		return err
	}
	for _, f := range scan {
		if err := link.AddListeningChannel(ctx, f); err != nil {
			return fmt.Errorf("--channels %s: %w", f.At, err)
		}
		say("%s listening as user %s", f.At, link.User())
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-link.Done():
		return link.Err()
	}
}

// members learns the names of those who are on a channel. A channel of more than 50 users
// has none; playerInfoUpdate has them one by one.
func (l *log) members(_ *client.Link, c wire.ChannelState) {
	for text, u := range c.UserData {
		if id, err := strconv.ParseInt(text, 10, 32); err == nil {
			l.named(core.UserID(id), u.Name)
		}
	}
}

func (l *log) named(id core.UserID, name string) {
	if name != "" {
		l.names[id] = name
	}
}

func (l *log) who(id core.UserID) string {
	if name := l.names[id]; name != "" {
		return fmt.Sprintf("%s (%s)", name, id)
	}
	return "user " + id.String()
}

func (l *log) talking(_ *client.Link, t wire.TalkingState) {
	now, at := time.Now(), talk{t.ServerID, t.Frequency}
	if t.State {
		l.since[at] = now
		say("%s %s talks", t.Frequency, l.who(t.ServerID))
		return
	}
	began, known := l.since[at]
	delete(l.since, at)
	if known {
		say("%s %s ends after %.1f s", t.Frequency, l.who(t.ServerID), now.Sub(began).Seconds())
	}
}

func (l *log) notified(_ *client.Link, n wire.DispatchNotification) {
	if n.Frequency == nil || !l.channels[*n.Frequency] {
		return
	}
	by := ""
	if n.ByName != "" {
		by = " by " + n.ByName
	}
	switch {
	case n.Type == "alert" && n.AlertConfig != nil && !n.Repeated:
		say("%s alert %s%s", *n.Frequency, n.AlertConfig.Name, by)
	case n.Type == "alertCleared" && n.AlertConfig != nil:
		say("%s alert %s cleared%s", *n.Frequency, n.AlertConfig.Name, by)
	case n.Type == "panic" && n.ServerID != nil:
		l.named(*n.ServerID, n.Name)
		say("%s PANIC of %s", *n.Frequency, l.who(*n.ServerID))
	case n.Type == "panicCleared" && n.ServerID != nil:
		say("%s panic of %s over", *n.Frequency, l.who(*n.ServerID))
	}
}

// say prints a line with the time.
func say(format string, args ...any) {
	fmt.Printf("%s %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
