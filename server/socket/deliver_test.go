package socket

import (
	"slices"
	"testing"

	"squelch/core"
)

func TestWhoAskedIsToldFirst(t *testing.T) {
	for says, story := range map[string]struct {
		to    core.Audience
		asker core.UserID
		want  []string
	}{
		"a talker on a channel":          {core.Audience{Users: []core.UserID{-9, -2, 5, 7}}, 5, []string{"user 5", "user -9", "user -2", "user 7"}},
		"a talker whom dispatchers hear": {core.Audience{Dispatchers: true, Users: []core.UserID{-9, 5, 7}}, 7, []string{"user 7", "dispatch", "user 5"}},
		"a dispatcher who talks":         {core.Audience{Dispatchers: true, Users: []core.UserID{-9, 5}}, -9, []string{"user -9", "dispatch", "user 5"}},
		"one who is not told":            {core.Audience{Users: []core.UserID{5}}, 7, []string{"user 5"}},
		"nobody has asked":               {core.Audience{Dispatchers: true}, 0, []string{"dispatch"}},
	} {
		if got := roomsOf(story.to, story.asker); !slices.Equal(got, story.want) {
			t.Errorf("%s: %v, want %v", says, got, story.want)
		}
	}
}
