// Command cad moves units and raises alerts, as a CAD system does, over REST alone.
package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	client "squelch/clients/go"
	"squelch/clients/go/examples/bot"
	"squelch/core"
	"squelch/core/wire"
)

const about = `cad does what a CAD system asks of a radio. It does the command in its arguments, or
without arguments each line of the standard input, and prints what became of it.

  move UNIT FREQUENCY     UNIT is a user id, a unit id, a callsign or a name
  alert FREQUENCY NAME    NAME is an alert of the radio's configuration
  clear FREQUENCY
  units                   who is on the radio, and where

Its key needs the scopes read and dispatch.`

func main() {
	b := bot.New("cad", about)
	b.Main(func(ctx context.Context, c *client.Client) error {
		d := desk{c}
		if b.NArg() > 0 {
			return d.do(ctx, b.Args())
		}
		status, err := d.GetStatus(ctx)
		if err != nil {
			return err
		}
		fmt.Printf("ready: %d users on the radio\n", status.UserCount)
		return d.follow(ctx, lines())
	})
}

// desk does commands.
type desk struct{ *client.Client }

// lines are those of the standard input. The goroutine ends with the program.
func lines() <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			out <- in.Text()
		}
	}()
	return out
}

// follow does one command after the other. One that fails does not keep it from the next.
func (d desk) follow(ctx context.Context, lines <-chan string) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, more := <-lines:
			words := strings.Fields(line)
			switch {
			case !more:
				return nil
			case len(words) == 0:
				continue
			}
			if err := d.do(ctx, words); err != nil {
				fmt.Printf("failed: %s: %v\n", line, err)
			}
		}
	}
}

func (d desk) do(ctx context.Context, words []string) error {
	switch verb, args := words[0], words[1:]; {
	case verb == "move" && len(args) >= 2:
		return d.move(ctx, strings.Join(args[:len(args)-1], " "), args[len(args)-1])
	case verb == "alert" && len(args) >= 2:
		return d.alert(ctx, args[0], strings.Join(args[1:], " "))
	case verb == "clear" && len(args) == 1:
		return d.clear(ctx, args[0])
	case verb == "units" && len(args) == 0:
		return d.units(ctx)
	}
	return bot.Usage("command %q is not one of: move UNIT FREQUENCY, alert FREQUENCY NAME, clear FREQUENCY, units", strings.Join(words, " "))
}

func (d desk) move(ctx context.Context, unit, frequency string) error {
	f, err := client.Frequency(frequency)
	if err != nil {
		return bot.Usage("%w", err)
	}
	id, name, err := d.find(ctx, unit)
	if err != nil {
		return err
	}
	if err := d.PostDispatchSwitchChannel(ctx, wire.SwitchChannel{ServerID: client.User(id), Frequency: f}); err != nil {
		return err
	}
	fmt.Printf("moved %s (%s) to %s\n", name, id, f.At)
	return nil
}

func (d desk) alert(ctx context.Context, frequency, name string) error {
	f, err := client.Frequency(frequency)
	if err != nil {
		return bot.Usage("%w", err)
	}
	if err := d.PostDispatchAlertTrigger(ctx, wire.AlertTrigger{Frequency: f, AlertType: name}); err != nil {
		return err
	}
	fmt.Printf("alert %s is on at %s\n", name, f.At)
	return nil
}

func (d desk) clear(ctx context.Context, frequency string) error {
	f, err := client.Frequency(frequency)
	if err != nil {
		return bot.Usage("%w", err)
	}
	if err := d.PostDispatchAlertClear(ctx, wire.AlertClear{Frequency: f}); err != nil {
		return err
	}
	fmt.Printf("alert is off at %s\n", f.At)
	return nil
}

func (d desk) units(ctx context.Context) error {
	status, err := d.GetDispatchStatus(ctx)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(status.Users)) {
		u := status.Users[id]
		fmt.Printf("%s %s %s\n", id, text(u.CurrentChannel, "-"), u.Name)
	}
	return nil
}

// find looks a unit up by its id, unit id, callsign or name.
func (d desk) find(ctx context.Context, unit string) (core.UserID, string, error) {
	status, err := d.GetDispatchStatus(ctx)
	if err != nil {
		return 0, "", err
	}
	var found []string
	for _, id := range slices.Sorted(maps.Keys(status.Users)) {
		u := status.Users[id]
		for _, name := range []string{id, text(u.UnitID, ""), text(u.Callsign, ""), u.Name} {
			if strings.EqualFold(name, unit) {
				found = append(found, id)
				break
			}
		}
	}
	switch len(found) {
	case 0:
		return 0, "", fmt.Errorf("unit %q is not on the radio: expected one of those that the command units lists", unit)
	case 1:
	default:
		return 0, "", fmt.Errorf("unit %q may be any of %s: expected a user id", unit, strings.Join(found, ", "))
	}
	id, err := strconv.ParseInt(found[0], 10, 32)
	return core.UserID(id), status.Users[found[0]].Name, err
}

func text(s *string, none string) string {
	if s == nil {
		return none
	}
	return *s
}
