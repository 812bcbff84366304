package sfu

import (
	"fmt"
	"slices"
	"testing"

	"squelch/sfu/red"
)

// repeats lists what a packet repeats, as frame numbers, oldest first; the last is its own frame.
func repeats(t *testing.T, p *past, generations, frame int) (frames []int) {
	t.Helper()
	at := uint32(frame) * frameSamples
	payload := p.redundant(nil, generations, 111, at, word(1, frame))
	blocks, err := red.Split(nil, payload)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		_, n := spoken(b.Payload)
		if uint32(n)*frameSamples != at-b.Age {
			t.Errorf("frame %d is said to be %d samples old", n, b.Age)
		}
		frames = append(frames, n)
	}
	return frames
}

func TestAPacketRepeatsTheFramesBeforeIt(t *testing.T) {
	for _, story := range []struct {
		says        string
		came        []int
		generations int
		frame       int
		want        []int
	}{
		{"in order", []int{1, 2, 3}, 2, 4, []int{2, 3, 4}},
		{"the first of a burst", nil, 3, 1, []int{1}},
		{"a frame that came late is in its place", []int{1, 3, 2}, 3, 4, []int{1, 2, 3, 4}},
		{"a frame that came too late pushes nothing out", []int{2, 3, 4, 1}, 1, 5, []int{4, 5}},
		{"one that comes twice counts once", []int{1, 2, 2, 3, 3}, 3, 4, []int{1, 2, 3, 4}},
		{"a late packet repeats what is before it", []int{1, 2, 4}, 3, 3, []int{1, 2, 3}},
		{"the stream begins again with lower numbers", []int{90_001, 90_002, 1, 2}, 3, 3, []int{1, 2, 3}},
	} {
		var p past
		for _, n := range story.came {
			p.remember(uint32(n)*frameSamples, word(1, n))
		}
		if got := repeats(t, &p, story.generations, story.frame); !slices.Equal(got, story.want) {
			t.Errorf("%s: frames %s, want %s", story.says, fmt.Sprint(got), fmt.Sprint(story.want))
		}
	}
}
