// Package rest serves the REST interface: it ranges over wire.Routes, checks
// who calls, decodes the body, hands one command to the engine and writes the
// reply. It decides nothing about the radio.
//
// # Who a session is on the radio
//
// The owner of a session on the radio (core.Connect.Owner, core.View.Alias) is
// session.Session.Lineage, which all sessions of one login share. Socket.IO uses the
// same owner, so that an id that a login asked for means the id that it was given, on
// both sides. A REST call is made by the login's own dispatcher id, if it has one on
// the radio, else by user 0 (an integration) under the session's callsign.
//
// # Order of checks
//
// Path (404), method (405), credentials (401, or 429 for a guess while the
// address is locked out), rate (429), size of the body (413), shape of the body
// (400), rate of logins and new sessions (429), then what the radio says of the
// command (400, 403, 404, 409). A body whose shape is wrong is 400 even when it
// also names a channel that does not exist.
package rest
