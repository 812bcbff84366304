// Package keep stores what must survive of any number of radios in two streams of JetStream,
// on one node or on three: a map of keys for state, sessions, secrets and the like, and logs
// for the audit log and the timeline. No radio has a stream of its own, because each stream
// that is kept three times costs a raft group.
//
// A write returns when a majority has it on disk (sync_interval: always). Several keys are
// changed at once by an atomic batch. Without copies, records that are appended at once share
// messages, because a batch would cost files of its own.
package keep
