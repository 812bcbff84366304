// Package recording writes down what a radio was told, and reads it again. A
// recording is JSON lines:
//
//	{"squelch":"recording","version":1,"build":"…","start":{"config":…,"data":…}}
//	{"at":1700000000000,"by":{…},"command":"KeyUp","args":{…}}
//	{"at":1700000002000}
//	{"end":true,"orders":2,"state":"…","config":"…"}
//
// first the radio as it was, then every command and every tick in the order in
// which the engine gave them to the core (wire.Order), and at a clean end the
// hashes of the state and the configuration. A recording that lacks its last
// line is of a service that was killed; it can be played all the same.
//
// It holds the dispatch login and what people are called: keep it as you keep
// the data folder.
package recording
