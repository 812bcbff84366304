// Package recordings is the shelf on which recorded bursts are: their files, one index
// of them, retention, deletion, and recovery after the process was killed.
//
// # Layout of the folder
//
//	recordings.lock            held while a process uses the folder; names its pid
//	index                      one line per change, see below
//	index.next                 there while the index is rewritten
//	recordings.probe           there while the disk is tested
//	2026-11-25/18/ID.ogg       voice, by the UTC day and hour of the burst's start
//	2026-11-25/18/ID.imbe      the same burst as raw IMBE frames of 11 bytes (digital channels)
//	2026-11-25/18/ID.webm      payloads that are no Opus packet, as received
//
// ID is the transmission's, as [core.Transmission.ID] makes it. Everything is readable
// by its owner only (0600, 0700). What is not named like this is left alone, and links
// are not followed.
//
// # Index
//
// Each line is a CRC-32C of the rest in hex, a space, and a JSON object. Lines are only
// appended; a torn last line is cut off. When most lines are outdated, the index is written
// anew beside the old one and renamed. A burst is entered when it ends; a file without a
// line belongs to a burst that was cut off by the end of the process: [Open] makes it whole
// and enters it. A line without its file is dropped.
//
// # What is promised
//
// What a call has acknowledged survives the end of the process, however it ends. After a
// loss of power what the system had not written yet may be missing; index and files agree
// again when the folder is opened. Deletion by [Shelf.Delete] is on the disk when it returns.
package recordings
