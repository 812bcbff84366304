package webhook

import "time"

// Limits of webhooks, all of this project unless named.
const (
	// readBatch is how many entries of the timeline are in memory for one webhook.
	readBatch = 64

	// attemptTime bounds one attempt, from the look-up of the name to the head of the
	// answer. Discord's own advice and that of common receivers is to answer within a few
	// seconds, and to work afterwards.
	attemptTime = 10 * time.Second
	// answerTime bounds the reading of an answer's body, and answerBytes its part that is
	// read: enough for an error in JSON.
	answerTime  = 2 * time.Second
	answerBytes = 4 << 10
	// errorText is how much of an answer is shown, in characters.
	errorText = 200

	// retryFirst and retryMost bound the pause after an attempt that failed; it doubles
	// from one to the next. jitter is how much shorter or longer it may be, so that many
	// services do not come back at the same moment.
	retryFirst = time.Second
	retryMost  = 5 * time.Minute
	jitter     = 0.2
	// retryAfter is the longest pause that a receiver may ask for.
	retryAfter = time.Hour

	// giveUp is for how long an event is tried again: since it happened, or since the
	// receiver began to fail, if that was later.
	giveUp = 24 * time.Hour

	// maxLetters and maxLetterBytes bound the dead letters of one webhook; the oldest make
	// room.
	maxLetters     = 500
	maxLetterBytes = 1 << 20
	// letterPart is how many bytes of letters are stored at once: a record of the store
	// takes 4 MiB, with values in base64.
	letterPart = 1 << 20

	// saveEvery is the shortest time between two writes of how far the webhooks have come.
	// After kill -9, what was sent since the last one is sent again, with the same ids.
	saveEvery = time.Second
	// farBehind is how many entries that do not concern a webhook it may pass before its
	// place is stored.
	farBehind = 256
	// saveTime bounds one write; saveAgain is when to try again after one that failed.
	saveTime  = 30 * time.Second
	saveAgain = 5 * time.Second
	// readAgain is when to read the timeline again after an error.
	readAgain = 5 * time.Second

	// urgentTries is how often an event of health is tried at once; later it comes in its
	// turn. urgentMost is how many may be on their way at once.
	urgentTries = 5
	urgentMost  = 8
	// maxAside is how many events that are not on the timeline wait for one webhook.
	maxAside = 256

	// maxTemplate is the largest template, and maxBody the largest body, in bytes.
	maxTemplate = 64 << 10
	maxBody     = 64 << 10
)
