// Package journal writes down what a radio was told, and reads it again. A
// journal is JSON lines:
//
//	{"squelch":"journal","version":1,"build":"…","start":{"config":…,"data":…}}
//	{"at":1700000000000,"by":{…},"command":"KeyUp","args":{…}}
//	{"at":1700000002000}
//	{"end":true,"orders":2,"state":"…","config":"…"}
//
// first the radio as it was, then every command and every tick in the order in
// which the engine gave them to the core (wire.Order), and at a clean end the
// hashes of the state and the configuration. A journal that lacks its last
// line is of a service that was killed; it can be played all the same.
//
// Another name takes the place of the dispatch login, also for the hashes, and tokens
// are never in a journal. Names of people, and where they were, are: only the owner
// of the file may read it.
package journal
