package core

import (
	"math"
	"strconv"
	"strings"
)

// UserID names everyone on the radio. Positive: a player in the game.
// Negative: a dispatcher (console, bot, CAD). Zero is nobody. On the wire it is
// serverId or userId.
type UserID int32

// Dispatcher says whether u is on the dispatch side.
func (u UserID) Dispatcher() bool { return u < 0 }

// Player says whether u is a unit in the game.
func (u UserID) Player() bool { return u > 0 }

func (u UserID) String() string { return strconv.Itoa(int(u)) }

// Frequency identifies a channel, in millionths of the unit that operators write.
// They write MHz, so this is Hz. Zero is "no channel".
//
// "460.250", "460.25", 460.25 and 460.250 are one Frequency. String gives the
// canonical spelling, the shortest one, which every reply and event carries.
type Frequency int64

// frequencyScale is the number of steps in one unit: six decimals, because
// operators write up to four, and floats have noise beyond the sixth.
const frequencyScale = 1_000_000

// maxFrequency is the first value that is too large (0 < f < 1 000 000).
const maxFrequency Frequency = 1_000_000 * frequencyScale

// ParseFrequency reads a plain decimal such as "154.755". Anything else (a
// sign, an exponent, spaces, more than six significant decimals, a value
// outside 0 < f < 1 000 000) is not a frequency: the error is ErrChannelNotFound,
// as for a frequency at which no channel is configured.
func ParseFrequency(s string) (Frequency, error) {
	whole, frac, dotted := strings.Cut(s, ".")
	if !digits(whole) || (dotted && !digits(frac)) || len(whole) > 12 {
		return 0, errChannelNotFound
	}
	frac = strings.TrimRight(frac, "0")
	if len(frac) > 6 {
		return 0, errChannelNotFound
	}
	w, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0, errChannelNotFound
	}
	var part int64
	if frac != "" {
		part, _ = strconv.ParseInt(frac+"000000"[len(frac):], 10, 64)
	}
	if w >= int64(maxFrequency)/frequencyScale {
		return 0, errChannelNotFound
	}
	f := Frequency(w*frequencyScale + part)
	if f <= 0 {
		return 0, errChannelNotFound
	}
	return f, nil
}

// FrequencyOf rounds a JSON or Lua number to six decimals, because floats such
// as 154.76749999999998 occur. The error is that of ParseFrequency.
func FrequencyOf(v float64) (Frequency, error) {
	if math.IsNaN(v) || v <= 0 || v >= 1_000_000 {
		return 0, errChannelNotFound
	}
	f := Frequency(math.Round(v * frequencyScale))
	if f <= 0 || f >= maxFrequency {
		return 0, errChannelNotFound
	}
	return f, nil
}

// String is the canonical spelling; "" for no channel.
func (f Frequency) String() string {
	if f == 0 {
		return ""
	}
	s := strconv.FormatInt(int64(f)/frequencyScale, 10)
	if frac := int64(f) % frequencyScale; frac != 0 {
		d := strconv.FormatInt(frequencyScale+frac, 10)[1:]
		s += "." + strings.TrimRight(d, "0")
	}
	return s
}

// Float is the value as a Lua script sees it.
func (f Frequency) Float() float64 { return float64(f) / frequencyScale }

// MarshalText gives the canonical spelling, so that in JSON frequencies are strings
// and can be keys of maps.
func (f Frequency) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (f *Frequency) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*f = 0
		return nil
	}
	v, err := ParseFrequency(string(b))
	if err == nil {
		*f = v
	}
	return err
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
