package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"squelch/core"
)

func TestABigChannelsSnapshotLeavesTheNamesOut(t *testing.T) {
	for users, names := range map[int]bool{0: true, maxUserData: true, maxUserData + 1: false} {
		c := core.ChannelView{Frequency: 154_755_000}
		for i := range users {
			c.Speakers = append(c.Speakers, core.UserID(i+1))
			c.Users = append(c.Users, core.UserView{ID: core.UserID(i + 1), Name: "Unit"})
		}
		b, err := json.Marshal(channelState(c))
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(b), `"userData":`); has != names {
			t.Errorf("%d users: userData there: %v", users, has)
		}
	}
}
