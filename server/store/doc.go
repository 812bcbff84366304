// Package store keeps what must outlive the process: the radio's snapshot,
// sessions, secrets, live configuration edits, the audit log, the
// timeline, and how far webhooks have come with what could not be delivered.
//
// It is an embedded NATS JetStream server that listens on no port. Every
// stream is used as a log: records are appended, and only the oldest end is
// ever removed. That one rule makes damage visible, because between the floor
// (the oldest record kept) and the last acknowledged record none may be
// missing. A record carries its own number, time and checksum (record.go), and
// is read through NATS's public interface: how NATS keeps its files is NATS's
// business, but for the name of its index (see natsIndex).
//
// # Layout of the data folder
//
//	squelch.json          marker: format version, id, state ("creating" or "ready")
//	squelch.lock          held with flock while a process uses the folder; names its pid
//	squelch.probe         exists briefly while the disk is tested for space
//	store/watermark.bin   per stream: floor and last acknowledged record
//	store/seal.json       only after a clean stop: SHA-256 of every file under store/
//	store/jetstream/      written by NATS
//	store.next, store.before, store.source, store.look-*
//	                      there while a start checks a copy, or secrets are read;
//	                      with a full disk squelch-check-<id>* in the folder for
//	                      temporary files takes their place
//
// Other folders (recordings, desktop, themes) belong to other packages.
//
// Everything in the folder is readable by its owner only (0600, 0700), also what
// somebody has copied there with other modes, as far as the file system allows.
// Generated secrets are in the stream secrets and nowhere else; tokens are stored
// only as hashes.
//
// # What is promised
//
// A write that returned nil is on the disk (fsync) and survives the loss of
// power. A write that returned an error may or may not have been kept.
//
// NATS heals a damaged stream by quietly dropping what it cannot read. So a folder
// is opened as it is only if its seal says that not a bit of it has changed since
// a clean stop. One that was not closed cleanly is checked on a copy: NATS opens that,
// and every record up to the watermark must be there and whole. Then the
// copy takes the folder's place. Else [Open] fails with an error that names the
// file, as near as can be told, and the folder is as it was. What a killed
// process leaves behind (a half-written record after the last acknowledged one)
// is no damage and is cut off.
//
// Damage that happens while the store is open is found when the record is next
// read: by whoever asks for it, or at the start after a kill.
package store
