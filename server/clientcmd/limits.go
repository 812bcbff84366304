package clientcmd

import "time"

const (
	// loginTime bounds the login; answerTime bounds each acknowledged event, including
	// a reconnect if the connection is lost (socket.io-client's own connect timeout).
	loginTime  = 15 * time.Second
	answerTime = 20 * time.Second
	// grantTime is how long a key-up may stay unanswered.
	grantTime = 10 * time.Second
	// regainTime is how long a key-up is repeated after a reconnect, and regainAgain the pause:
	// longer than a cluster has no node that decides.
	regainTime  = 5 * time.Second
	regainAgain = 250 * time.Millisecond
	// goodbyeTime is how long the release of the key may take at the end.
	goodbyeTime = 5 * time.Second
	// dialTime bounds how long a WebRTC connection takes to establish.
	dialTime = 20 * time.Second
	// askAgain is the pause before a question whose connection was lost, or a WebRTC
	// connection, is tried again.
	askAgain = 250 * time.Millisecond
	// reconnectDelay is the first pause before reconnecting:
	// shorter than socket.io-client's second, because a burst may be running.
	reconnectDelay = 250 * time.Millisecond
	// beat is the panel's own heartbeat (every 2 s).
	beat = 2 * time.Second
	// tail keeps the key down after the last packet (the panel's release delay),
	// so that the end of the last word is not cut off on the way.
	tail = 350 * time.Millisecond
	// burstPause ends a burst of a talker from whom nothing more came.
	burstPause = 2 * time.Second
	// radioTick drives the clock of --script's radio, as the game does.
	radioTick = 50 * time.Millisecond
	// knownTime is how long a script waits to be told who this user is.
	knownTime = 3 * time.Second
	// maxStatus is the largest exit status of a script: shells use those above themselves.
	maxStatus = 125
	// maxConfig is the largest configuration that is read, in bytes.
	maxConfig = 16 << 20
	// maxFile is the largest file to play, in bytes: about seven hours of speech.
	maxFile = 64 << 20
	// maxReply is the longest REST reply that is read, in bytes.
	maxReply = 64 << 10
	// maxUsers bounds the users whose names and counts are remembered.
	maxUsers = 10_000
)
