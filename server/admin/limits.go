package admin

import "time"

// Bounds of this package, all of this project unless named.
const (
	// maxBody is the largest edit of the configuration, in bytes: as large as a
	// configuration file may be. maxSmallBody is for everything else.
	maxBody      = 1 << 20
	maxSmallBody = 4 << 10
	// maxAdmins is how many admin logins may live at once. A new one beyond that
	// ends the one that was idle longest.
	maxAdmins = 16
	// loginLifetime ends a login after a shift, idleTime a login that was forgotten
	// (OWASP Session Management: 15 to 30 minutes if much is at stake).
	loginLifetime = 12 * time.Hour
	idleTime      = 30 * time.Minute
	// perSecond and burst bound the requests of one login.
	perSecond = 10
	burst     = 40
	// changeTime bounds one change, its way to the disk and through the radio
	// included.
	changeTime = 15 * time.Second
	// reloadTime bounds the reading of the configuration (3 s for the file, and its callbacks
	// and scripts are tried), and its way through the radio.
	reloadTime = 30 * time.Second
	// restartTime bounds the restart of a script, which may take seconds to stop and to
	// start.
	restartTime = 30 * time.Second
	// webhookTime bounds the sending of a test or of a dead letter: what a receiver has
	// to answer (server/webhook), and the way to the disk.
	webhookTime = 30 * time.Second
	// auditPage is how many entries are shown if the request does not say.
	auditPage = 100
	// maxSearch is how many entries one request looks at; the next one goes on from
	// there. Reading one takes about 15 µs.
	maxSearch = 20_000
	// maxSearchText is the longest text that is searched for, in bytes.
	maxSearchText = 200
	// auditBatch is how many entries are read and sent at a time.
	auditBatch = 256
	// batchTime bounds the sending of one batch: 1 MB at 300 kbit/s.
	batchTime = 30 * time.Second
	// maxReaders is how many downloads and verifications of the audit log run
	// at once; each reads it from end to end.
	maxReaders = 2
)
