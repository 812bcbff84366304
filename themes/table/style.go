package table

// Variable is a CSS variable of the panel. Its value at night is in
// panel/src/view/css/tokens.css; other looks have their own.
type Variable struct{ Name, Doc string }

// VariableGroup are variables about one matter.
type VariableGroup struct {
	Title     string
	Variables []Variable
}

// Variables are all that the panel has. A colour with "on-" is for what stands on the
// fill of that name.
var Variables = []VariableGroup{
	{"Surfaces and text", []Variable{
		{"back", "the page"}, {"panel", "bars and the rail"}, {"card", "a channel that is monitored"}, {"card-off", "one that is not"},
		{"raised", "keys"}, {"well", "fields and meters"}, {"line", "lines that only divide"}, {"line-strong", "borders of what can be operated"},
		{"text", "text"}, {"dim", "text of less weight"}, {"focus", "the ring around what has the focus"}, {"focus-gap", "the gap inside that ring"},
		{"accent", "the main button of a dialog"}, {"on-accent", "its text"},
	}},
	{"States of the radio", []Variable{
		{"rx", "heard now: fill"}, {"on-rx", "text on it"}, {"rx-text", "its colour as text"}, {"meter", "level meters"}, {"off-rx", "somebody talks where nobody monitors"},
		{"tx", "this console is on air: fill"}, {"on-tx", "text on it"}, {"tx-text", "its colour as text"}, {"tx-soft", "the floor is asked for: fill"},
		{"busy", "somebody else holds the channel: fill"}, {"on-busy", "text on it"}, {"busy-text", "its colour as text"},
		{"target", "what the push-to-talk keys"}, {"on-target", "text on it"}, {"patch", "patches"}, {"alert", "alerts"},
		{"fault", "what cannot be trusted: no link, no audio"}, {"fault-back", "its ground"},
	}},
	{"Emergencies", []Variable{
		{"em", "an emergency: fill. Use red for nothing else"}, {"on-em", "text on it"}, {"em-line", "its border"},
		{"em-plate", "the plate of one that nobody has acknowledged"}, {"on-em-plate", "text on it"},
		{"em-ack", "one that is acknowledged and open: fill"}, {"on-em-ack", "text on it"}, {"em-ack-line", "its border"}, {"flash", "the time of one flash; keep it at 1 s or more"},
	}},
	{"Type", []Variable{
		{"font", "the typeface"}, {"mono", "that of figures in columns"}, {"size-talker", "who talks"}, {"talker-fluid", "the same on wide cards"}, {"size-channel", "names of channels"},
		{"size-text", "text"}, {"size-small", "small text, never for a state"}, {"size-ptt", "the push-to-talk key"}, {"size-clock", "the clock"},
	}},
	{"Geometry", []Variable{
		{"zoom", "how large everything is drawn, set by the dispatcher; 1 rem is 16 px times this"}, {"radius", "corners"}, {"radius-small", "corners of small things"}, {"gap", "between cards"}, {"pad", "inside regions"}, {"pad-top", "above the cards"},
		{"edge", "the left edge of a card, which shows the target"}, {"status-height", "the status bar"}, {"lane-height", "the emergency lane"}, {"tools-height", "the tools"},
		{"ptt-height", "the push-to-talk bar"}, {"rail-width", "the rail"}, {"card-width", "the least width of a card"}, {"card-height", "the least height of a card"}, {"card-most", "how high cards grow where there is room"},
		{"band-height", "the band of a card, which shows its state"}, {"key", "the height of keys"}, {"motion", "how long drawers take"},
	}},
}

// Part is a value of data-part: a piece of the console that keeps its name.
type Part struct{ Name, Doc string }

// Parts are those that stylesheets may address.
var Parts = []Part{
	{"console", "everything"}, {"status-bar", "the bar at the top"}, {"health", "the state of the link"}, {"voice", "the state of voice"}, {"clock", "the clock"},
	{"emergency-lane", "the lane of emergencies"}, {"emergency-slot", "one emergency in it"}, {"emergency-plate", "the plate of one that nobody has acknowledged"}, {"emergency-open", "one that is acknowledged"},
	{"emergency-ended", "one that ended by itself"}, {"answer", "the key that answers it"}, {"acknowledge", "the key that acknowledges it"}, {"close-emergency", "the key that closes it"},
	{"tools", "zones, filter, layout and zoom"}, {"zone-tab", "a zone"}, {"filter", "mine, active, all"}, {"layout", "the layout"}, {"zoom", "the zoom"},
	{"channels", "the cards"}, {"channel-card", "one channel"}, {"name", "its name"}, {"band", "its state"}, {"state", "the word for it"}, {"talker", "who talks"}, {"timer", "for how long"}, {"meter", "a level"},
	{"instant-tx", "the key that talks on this channel"}, {"monitor", "the key that monitors it"}, {"target", "the key that makes it a target"}, {"replay", "the key that plays the last seconds"}, {"more", "the key that opens its drawer"},
	{"patch-tag", "the patch that it is in"}, {"alert", "its alert"}, {"drawer", "the drawer of a channel"},
	{"rail", "the column on the right"}, {"log", "the log"}, {"desk", "units, patches, groups and tones"}, {"unit", "a unit"}, {"patch", "a patch"}, {"group", "an announcement group"}, {"tone", "a tone"},
	{"ptt-bar", "the bar at the bottom"}, {"ptt", "the push-to-talk key"}, {"targets", "what it keys"}, {"ptt-target", "one of them"}, {"ptt-line", "what it says beside the key"}, {"microphone", "the microphone"}, {"latch", "the latch"},
	{"notice", "a notice"}, {"dialog", "a dialog"}, {"palette", "the command palette"}, {"onboarding", "the first run"},
	{"theme-container", "the element that getContainer returns: above the channels, and all that is left while the default UI is hidden"},
	{"theme-desk", "the line below the push-to-talk bar while the default UI is hidden: the link, what is wrong, settings and sign out"},
}

// Attribute is one that shows a state.
type Attribute struct {
	On, Name string
	Values   []string // none: it is there or not, without a value
	Doc      string
}

var yesNo = []string{"true", "false"}

// Attributes are the states that stylesheets may address.
var Attributes = []Attribute{
	{"channel-card", "data-state", []string{"idle", "off", "rx", "wait", "tx", "over", "busy", "overridden", "denied", "em", "ack", "ended", "link", "noaudio"}, "what the card shows"},
	{"channel-card", "data-monitored", yesNo, "it is monitored"},
	{"channel-card", "data-target", yesNo, "the push-to-talk keys it"},
	{"channel-card", "data-alert", yesNo, "an alert is active on it"},
	{"channel-card", "data-patched", yesNo, "it is in a patch"},
	{"channel-card", "data-over", yesNo, "a unit is dragged over it"},
	{"channel-card", "data-muted", yesNo, "it is muted"},
	{"emergency-slot", "data-state", []string{"unacknowledged", "acknowledged", "ended"}, "how far the emergency is"},
	{"ptt", "data-state", []string{"IDLE", "REQUESTED", "TX", "TAIL", "DENIED", "LATCHED", "NOMIC", "NOLINK"}, "what the key shows"},
	{":root", "data-look", []string{"night", "day", "contrast", "lcd"}, "the look that the dispatcher has chosen"},
	{":root", "data-density", []string{"comfortable", "compact", "dense"}, "the density"},
	{":root", "data-link", []string{"connected", "stale", "disconnected"}, "the link"},
	{":root", "data-ptt", []string{"IDLE", "REQUESTED", "TX", "TAIL", "DENIED", "LATCHED", "NOMIC", "NOLINK"}, "what the push-to-talk key shows"},
	{":root", "data-emergency", []string{"none", "open", "unacknowledged"}, "the worst of the open emergencies"},
	{":root", "data-bare", nil, "the default UI is hidden; otherwise the attribute is absent"},
}
