package client_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	client "squelch/clients/go"
	"squelch/core/wire"
	"squelch/server/testpeers"
)

// ends interrupts a bot, which ends with exit code 0.
func ends(t *testing.T, p *testpeers.Process) {
	t.Helper()
	if err := p.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("at Ctrl-C it ended with %v: %s", err, p.Stderr())
	}
}

func TestTheListenBotLogsTalksAndAlerts(t *testing.T) {
	t.Parallel()
	r := start(t)
	ann := r.unit(7, "Ann", "154.755")
	bot := r.bot(r.key("Logger", wire.ScopeRead), "listen", "--channels", "154.755, 154.81")
	prints(t, bot, "154.81 listening as user -40")
	voice, _ := speech(t, 100, 150)
	if err := ann.Talk(within(t), client.MustFrequency("154.755"), voice); err != nil {
		t.Fatal(err)
	}
	prints(t, bot, "154.755 Ann (7) talks")
	if line := prints(t, bot, "154.755 Ann (7) ends after "); !regexp.MustCompile(`ends after [1-9]\d*\.\d s$`).MatchString(line) {
		t.Errorf("a talk of 50 packets, 20 ms each, is logged as %q", line)
	}
	cad := r.client(r.key("CAD bridge", wire.ScopeDispatch))
	if err := cad.PostDispatchAlertTrigger(within(t), wire.AlertTrigger{Frequency: client.MustFrequency("154.81"), AlertType: "SIGNAL 100"}); err != nil {
		t.Fatal(err)
	}
	prints(t, bot, "154.81 alert SIGNAL 100 by CAD bridge")
	if err := cad.PostDispatchAlertClear(within(t), wire.AlertClear{Frequency: client.MustFrequency("154.81")}); err != nil {
		t.Fatal(err)
	}
	prints(t, bot, "154.81 alert SIGNAL 100 cleared by CAD bridge")
	enabled := true
	if err := ann.Panic(within(t), wire.PanicEvent{Enabled: &enabled}); err != nil {
		t.Fatal(err)
	}
	prints(t, bot, "154.755 PANIC of Ann (7)")
	ends(t, bot)
}

func TestTheCADBotMovesUnitsAndRaisesAlerts(t *testing.T) {
	t.Parallel()
	r := start(t)
	alerts := make(chan wire.DispatchNotification, 16)
	r.unit(7, "Ann Lee", "154.755", client.OnDispatchNotification(func(_ *client.Link, n wire.DispatchNotification) {
		if n.Type == "alert" {
			alerts <- n
		}
	}))
	key := r.key("CAD bridge", wire.ScopeRead, wire.ScopeDispatch)
	bot := r.bot(key, "cad")
	if line, _ := bot.Line(0); line != "ready: 1 users on the radio" {
		t.Errorf("it begins with %q", line)
	}
	say := func(line string) {
		t.Helper()
		if _, err := bot.Stdin.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	say("units")
	prints(t, bot, "7 154.755 Ann Lee")
	say("move ann lee 154.810")
	prints(t, bot, "moved Ann Lee (7) to 154.81")
	say("alert 154.81 SIGNAL 100")
	prints(t, bot, "alert SIGNAL 100 is on at 154.81")
	if n := take(t, alerts, "the alert at the unit"); *n.Frequency != "154.81" || n.AlertConfig.Name != "SIGNAL 100" || n.ByName != "CAD bridge" {
		t.Errorf("the unit hears of the alert %s on %s by %q", n.AlertConfig.Name, *n.Frequency, n.ByName)
	}
	status := r.status(key)
	if at := status.Users["7"].CurrentChannel; at == nil || *at != "154.81" {
		t.Errorf("the unit is on %v", at)
	}
	if a := status.ActiveAlerts["154.81"]; a.Name != "SIGNAL 100" || len(status.ActiveAlerts) != 1 {
		t.Errorf("active alerts: %v", status.ActiveAlerts)
	}
	say("clear 154.81")
	prints(t, bot, "alert is off at 154.81")
	if left := r.status(key).ActiveAlerts; len(left) != 0 {
		t.Errorf("active alerts after clear: %v", left)
	}
	say("move Ben 154.755")
	prints(t, bot, `failed: move Ben 154.755: unit "Ben" is not on the radio`)
	say("move 7 462.5")
	prints(t, bot, "failed: move 7 462.5: ")
	ends(t, bot)
	if code, out, _ := runs(t, r.command(key, "cad", "move", "7", "154.755")); code != 0 || out != "moved Ann Lee (7) to 154.755\n" {
		t.Errorf("as one command it prints %q and ends with %d", out, code)
	}
	if at := r.status(key).Users["7"].CurrentChannel; at == nil || *at != "154.755" {
		t.Errorf("then the unit is on %v", at)
	}
}

// TestTheAnswerBotIsHeard: a listener hears exactly the packets of the file, from the bot.
func TestTheAnswerBotIsHeard(t *testing.T) {
	t.Parallel()
	r := start(t)
	answer, file := speech(t, 200, 240)
	bot := r.bot(r.key("Answer", wire.ScopeTalk), "answer", "--channel", "154.755", "--file", file, "--wait", "50ms")
	if line, _ := bot.Line(0); line != "ready on 154.755 as user -41" {
		t.Fatalf("it begins with %q", line)
	}
	heard := make(chan []byte, 1000)
	over := make(chan bool, 16)
	listener := r.connect(r.client(r.key("Desk", wire.ScopeRead)), -2,
		client.OnVoice(func(_ *client.Link, v wire.Voice) {
			if p, err := client.Packet(v); err == nil && v.ServerID == -41 && v.Frequency == "154.755" {
				heard <- p
			}
		}),
		client.OnTalkingState(func(_ *client.Link, s wire.TalkingState) {
			if s.ServerID == -41 && !s.State {
				over <- true
			}
		}))
	if err := listener.AddListeningChannel(within(t), client.MustFrequency("154.755")); err != nil {
		t.Fatal(err)
	}
	ann := r.unit(7, "Ann", "154.755")
	call, _ := speech(t, 0, 20)
	for range 2 { // it answers each call once, and never itself
		if err := ann.Talk(within(t), client.MustFrequency("154.755"), call); err != nil {
			t.Fatal(err)
		}
		for i, want := range answer {
			if got := take(t, heard, "the answer"); !bytes.Equal(got, want) {
				t.Fatalf("packet %d of the answer is not that of the file", i)
			}
		}
		take(t, over, "the end of the answer")
	}
	if len(heard) != 0 {
		t.Errorf("%d packets more than the answers were heard", len(heard))
	}
	prints(t, bot, "answered user 7 with 40 packets")
	ends(t, bot)
}

// status is what the radio says of itself.
func (r *radio) status(key string) wire.DispatchStatus {
	r.t.Helper()
	s, err := r.client(key).GetDispatchStatus(within(r.t))
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// runs runs a program to its end.
func runs(t *testing.T, cmd *exec.Cmd) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

func TestWhatABotSaysOfWrongFlagsAndRefusals(t *testing.T) {
	t.Parallel()
	r := start(t)
	listens := r.key("Logger", wire.ScopeRead)
	_, file := speech(t, 0, 2)
	for name, c := range map[string]struct {
		cmd        *exec.Cmd
		code       int
		out, error string
	}{
		"help of listen": {r.command("", "listen", "--help"), 0, "-channels", ""},
		"help of cad":    {r.command("", "cad", "--help"), 0, "move UNIT FREQUENCY", ""},
		"help of answer": {r.command("", "answer", "--help"), 0, "SQUELCH_KEY", ""},
		"no key":         {r.command("", "listen"), 2, "", "SQUELCH_KEY is missing"},
		"unknown flag":   {r.command(listens, "listen", "--chanels", "1"), 2, "", "-chanels"},
		"no URL":         {r.command(listens, "listen", "--url", "localhost:7777"), 2, "", "try http://localhost:7777"},
		"no frequency":   {r.command(listens, "listen", "--channels", "x"), 2, "", `--channels: frequency "x" is not`},
		"no channel":     {r.command(listens, "listen", "--channels", "9.5"), 1, "", "--channels 9.5: "},
		"revoked key":    {r.command("sqk_"+strings.Repeat("A", 43), "listen"), 1, "", "Authentication required"},
		"no command":     {r.command(listens, "cad", "mov", "7", "154.755"), 2, "", `command "mov 7 154.755" is not one of: move UNIT FREQUENCY`},
		"no scope":       {r.command(listens, "cad", "clear", "154.755"), 1, "", `lacks the scope "dispatch" (403)`},
		"no file":        {r.command(listens, "answer"), 2, "", "--file: missing: expected an Ogg Opus file"},
		"no voice":       {r.command(listens, "answer", "--file", "bots_test.go"), 2, "", "--file: bots_test.go: "},
		"no id":          {r.command(listens, "answer", "--file", file, "--ignore", "Ann"), 2, "", `--ignore: "Ann" is not a user id`},
	} {
		code, out, errs := runs(t, c.cmd)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.error) || c.code == 0 && errs != "" {
			t.Errorf("%s: exit code %d, want %d; it prints\n%s\nand on standard error, which should have %q,\n%s", name, code, c.code, out, c.error, errs)
		}
	}
}
