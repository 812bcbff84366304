// Package radios is the radios of one host: the default one, of the main configuration
// file, and those that Config.radios names. Each has its own configuration, engine,
// sessions, sockets, scripts and limits; they share the host's ports, the media port, one
// NATS for what is kept, and nothing else.
//
// A request means a radio by its host name, or by the beginning of its path, /r/NAME/, which
// is taken off before the radio sees it (address.Prefix remembers it). Every other request
// means the default radio, as clients that know nothing of this expect.
//
//	DATA/                    the default radio's storage (server/store), recordings, themes, …
//	DATA/radios/_store/      what is kept of the others (server/cluster/keep)
//	DATA/radios/NAME/        recordings, themes and desktop files of the radio NAME
package radios
