// Package store keeps what must outlive the process: the radio's snapshot,
// sessions, secrets, live configuration edits, the audit log and the
// transmission log.
//
// It is an embedded NATS JetStream server that listens on no port. Every
// stream is used as a log: records are appended, and only the oldest end is
// ever removed. That one rule makes damage visible, because between the floor
// (the oldest record kept) and the last acknowledged record no sequence number
// may be missing.
//
// # Layout of the data folder
//
//	squelch.json        marker: format version, id, state ("creating" or "ready")
//	squelch.lock        held with flock while a process uses the folder; names its pid
//	squelch.probe       there for moments: whether the disk takes anything
//	store/marks.bin     per stream: floor and last acknowledged sequence number
//	store/seal.json     only after a clean stop: SHA-256 of every file under store/
//	store/jetstream/    written by NATS
//
// Other folders (recordings, desktop, themes) belong to other packages.
//
// Everything in the folder is its owner's alone (0600, 0700), also what somebody
// has copied there otherwise, as far as the file system allows. What was generated
// is in the stream secrets and nowhere else; tokens are nowhere, only their hashes.
//
// # What is promised
//
// A write that returned nil is on the disk (fsync) and survives the loss of
// power. A write that returned an error may or may not have been kept.
//
// [Open] reads everything before NATS may write anything. NATS itself heals a
// damaged stream by quietly dropping what it cannot read; here a record whose
// checksum is wrong, a missing record, a missing block, a foreign folder or a
// newer format is an error that names the file, and nothing is changed. What a
// killed process leaves behind (a half-written record after the last
// acknowledged one) is no damage and is cut off.
package store
