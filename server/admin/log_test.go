package admin_test

import (
	"testing"

	"squelch/core/wire"
	"squelch/server/logs"
)

// TestTheAdministrationFollowsTheLog: all lines, only what is new, only the grave ones;
// and a wrong number is named.
func TestTheAdministrationFollowsTheLog(t *testing.T) {
	s := onAir(t)
	s.lines.Info("the radio is on the air")
	s.lines.Debug("joins", "user", 7, "name", "Ana\nRuiz")
	s.lines.Error("disk full")
	b := s.logIn()
	var all, fresh, grave wire.AdminLog
	b.send("GET", "log", nil).ok(&all)
	if len(all.Lines) != 3 || all.Last != 3 || all.Level != logs.Debug || all.Lines[1].Level != "debug" || all.Lines[1].Message != "joins" ||
		len(all.Lines[1].Fields) != 2 || all.Lines[1].Fields[1] != (wire.AdminLogField{Name: "name", Value: "Ana\nRuiz"}) || all.Lines[1].At == 0 {
		t.Fatalf("%+v", all)
	}
	s.lines.Warn("slow disk")
	b.send("GET", "log?after=3", nil).ok(&fresh)
	if len(fresh.Lines) != 1 || fresh.Lines[0].Message != "slow disk" || fresh.Lines[0].Seq != 4 {
		t.Errorf("%+v", fresh)
	}
	b.send("GET", "log?level=0&limit=1", nil).ok(&grave)
	if len(grave.Lines) != 1 || grave.Lines[0].Message != "disk full" || grave.Last != 4 {
		t.Errorf("%+v", grave)
	}
	b.send("GET", "log?level=6", nil).refused(400, "level", "whole number from 0 to 5")
	b.send("GET", "log?after=-1", nil).refused(400, "after", "whole number")
	b.send("GET", "log?limit=0", nil).refused(400, "limit", "from 1 to 1000")
	(&browser{s: s}).send("GET", "log", nil).refused(401, "", "")
}
