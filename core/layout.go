package core

import (
	"slices"
	"strconv"
	"strings"
)

// Layout is a console's arrangement that an administrator has published: which channels
// it shows, hears and talks on, and how. Consoles offer it beside their own; the rules of
// the radio do not know it.
type Layout struct {
	Name    string       `json:"name"`
	Order   []Frequency  `json:"order"`   // of the cards
	Scans   []LayoutScan `json:"scans"`   // channels that are heard, by Frequency
	Targets []Frequency  `json:"targets"` // channels on which the PTT talks
	Filter  string       `json:"filter"`  // which channels are shown: "mine", "active", "all"
	Zoom    Zoom         `json:"zoom"`
	Density string       `json:"density"` // "comfortable", "compact", "dense"
	Rail    LayoutRail   `json:"rail"`
}

// LayoutScan is a channel that is heard.
type LayoutScan struct {
	Frequency Frequency `json:"frequency"`
	Priority  int       `json:"priority"` // 0: none; 1 pre-empts everything, 2 all but 1
}

// LayoutRail is the column beside the cards.
type LayoutRail struct {
	Width float64 `json:"width"` // px at 100 %
	Split float64 `json:"split"` // part of the height that the log takes, 0-1
}

// Zoom is a factor; 0, in JSON "fit", is as large as shows the dispatcher's channels
// without scrolling.
type Zoom float64

// MarshalJSON writes a number or "fit".
func (z Zoom) MarshalJSON() ([]byte, error) {
	if z == 0 {
		return []byte(`"fit"`), nil
	}
	return strconv.AppendFloat(nil, float64(z), 'g', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (z *Zoom) UnmarshalJSON(b []byte) error {
	if string(b) == `"fit"` {
		*z = 0
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || v == 0 {
		return invalid("zoom", `zoom must be a number or "fit"`)
	}
	*z = Zoom(v)
	return nil
}

// Bounds of published layouts; the console has the same for its own.
const (
	maxLayouts    = 20
	maxLayoutName = 40 // characters
	minZoom       = 0.9
	maxZoom       = 2
	minRail       = 280 // px
	maxRail       = 640
)

var (
	layoutFilters   = []string{"mine", "active", "all"}
	layoutDensities = []string{"comfortable", "compact", "dense"}
)

// checkLayouts does not ask that their channels exist: a console leaves out what is not
// there, and taking a channel away must not end all live edits.
func (c *Config) checkLayouts(p *problems) {
	if len(c.Layouts) > maxLayouts {
		p.add("layouts", "layouts must have at most "+itoa(maxLayouts)+" entries")
	}
	seen := map[string]bool{}
	for i := range c.Layouts {
		l := &c.Layouts[i]
		at := "layouts[" + itoa(i+1) + "]."
		if name, err := Line(at+"name", l.Name, 1, maxLayoutName); err != nil {
			*p = append(*p, err.(*Error))
		} else if name != l.Name {
			p.add(at+"name", at+"name has spaces or characters that cannot be drawn")
		} else if seen[name] {
			p.add(at+"name", at+"name occurs twice")
		}
		seen[l.Name] = true
		l.check(at, p)
	}
}

// check adds every problem of a layout except those of its name.
func (l *Layout) check(at string, p *problems) {
	checkTuned(at+"order", l.Order, p)
	checkTuned(at+"targets", l.Targets, p)
	var heard []Frequency
	for _, s := range l.Scans {
		heard = append(heard, s.Frequency)
		if s.Priority < 0 || s.Priority > 2 {
			path := at + "scans." + s.Frequency.String()
			p.add(path, path+" must be 0, 1 or 2")
		}
	}
	checkTuned(at+"scans", heard, p)
	for _, v := range []struct {
		key, value string
		of         []string
	}{{"filter", l.Filter, layoutFilters}, {"density", l.Density, layoutDensities}} {
		if !slices.Contains(v.of, v.value) {
			p.add(at+v.key, at+v.key+" must be one of "+strings.Join(v.of, ", "))
		}
	}
	if !finite(float64(l.Zoom)) || (l.Zoom != 0 && (l.Zoom < minZoom || l.Zoom > maxZoom)) {
		p.add(at+"zoom", at+`zoom must be 0.9 to 2, or "fit"`)
	}
	if !finite(l.Rail.Width) || l.Rail.Width < minRail || l.Rail.Width > maxRail {
		p.add(at+"rail.width", at+"rail.width must be "+itoa(minRail)+" to "+itoa(maxRail))
	}
	if !finite(l.Rail.Split) || l.Rail.Split < 0 || l.Rail.Split > 1 {
		p.add(at+"rail.split", at+"rail.split must be 0 to 1")
	}
}

// checkTuned adds a problem for each entry of a list that is no frequency or occurs
// twice.
func checkTuned(at string, list []Frequency, p *problems) {
	var seen []Frequency
	for i, f := range list {
		path := at + "[" + itoa(i+1) + "]"
		switch {
		case f <= 0 || f >= maxFrequency:
			p.add(path, path+" must be a frequency")
		case !insertSorted(&seen, f):
			p.add(path, path+" occurs twice")
		}
	}
}

// Clone copies a layout.
func (l Layout) Clone() Layout {
	l.Order, l.Scans, l.Targets = slices.Clone(l.Order), slices.Clone(l.Scans), slices.Clone(l.Targets)
	return l
}
