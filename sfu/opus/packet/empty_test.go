package packet

import "testing"

func TestAnEmptyPacketLastsAsLongAsTheLostOne(t *testing.T) {
	for config := range 32 {
		one := []byte{byte(config<<3 | 4), 1, 2, 3}
		two := []byte{byte(config<<3 | 1), 1, 2}
		for _, like := range [][]byte{one, two} {
			empty := Empty(nil, like)
			info, err := Inspect(empty)
			want, _ := Inspect(like)
			if err != nil || info != want || len(empty) > EmptyBytes {
				t.Errorf("instead of % x: % x is %+v, %v; want %+v", like, empty, info, err, want)
			}
		}
	}
	if got := Empty(nil, []byte{3}); got != nil {
		t.Errorf("instead of what is no packet: % x", got)
	}
}
