//go:build !wasm

package wire

// States of a radio of a host.
const (
	RadioOnAir    = "onAir"
	RadioTroubled = "troubled" // on the air, and something does not work
	RadioFailed   = "failed"   // not on the air
)

// Shapes of the list of a host's radios.
type (
	// AdminRadioList are the radios of the host, the default one first; empty for the
	// administration of any other radio.
	AdminRadioList struct {
		Radios []AdminRadio `json:"radios"`
	}
	AdminRadio struct {
		Name    string   `json:"name"`
		Title   string   `json:"title"` // serverName of its configuration; "": it could not be read
		Path    string   `json:"path"`  // with which the paths of its pages and interfaces begin: / or /r/NAME/
		Hosts   []string `json:"hosts"` // host names that mean it
		State   string   `json:"state"` // onAir, troubled or failed
		Reason  string   `json:"reason,omitempty"`
		Clients int      `json:"clients"` // connections
	}
)

// adminRadioRoutes are the routes of the host's radios.
var adminRadioRoutes = []Route{
	adminGet("/admin/api/radios", AdminRadioList{}, "The radios of this host, and how they are; an empty list from any but the default radio"),
}
