// Package backup makes one file of a data folder, also while a service uses the folder, and
// a data folder of such a file.
//
// # The file
//
// A tar archive in gzip (RFC 1952), readable by its owner only. In it are, in this order,
//
//	squelch-backup.json   version of this format, when it was made, and by which program
//	config/               config.lua and permissions.cfg, if they were given
//	data/                 the data folder, its marker squelch.json first
//	SHA256SUMS.json       every file before it: name, size, SHA-256
//
// A file without the last entry was cut off, and is refused. What is in it is secret:
// tokens, names, recordings.
//
// # What is promised
//
// The store in it was read and checked record by record (store.Copy); every change that
// was acknowledged before the backup began is there. Create reads the finished file again
// before it gives it its name. Restore writes to an empty folder only, checks every file,
// and writes the marker last: a folder that was cut off in between is no data folder.
package backup

import "time"

// Names in the archive.
const (
	headName   = "squelch-backup.json"
	sumsName   = "SHA256SUMS.json"
	dataPart   = "data/"
	configPart = "config/"
)

// Bounds of what is read of a file that somebody brings.
const (
	version    = 1
	maxHead    = 64 << 10  // bytes of the first entry
	maxSums    = 512 << 20 // bytes of the last one: about three million recordings
	maxEntries = 4_000_000
	maxConfig  = 4 << 20 // bytes of a configuration file, as much as is read of one
)

// Head says what a backup is.
type Head struct {
	Version int       `json:"version"`
	Made    time.Time `json:"made"`
	Program string    `json:"program"` // its version
}

// Sum is a file of a backup.
type Sum struct {
	Name   string `json:"name"` // with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // hex
}

// Contents is what a backup has.
type Contents struct {
	Head
	Files  int      `json:"files"`
	Bytes  int64    `json:"bytes"` // of all files
	Config []string `json:"config"`
}
