package recordings

import (
	"time"

	"squelch/sfu/opus/packet"
)

// Limits of the shelf. The origin is this project unless named.
const (
	// format is the version of the folder's layout.
	format = 1

	// MaxEntries is how many recordings are kept, whatever else is allowed, because
	// they are all in memory; BenchmarkOpen100k says what one costs.
	MaxEntries = 500_000

	// MaxPeaks is the number of peaks of a waveform.
	MaxPeaks = 96

	// MaxText is the length of a transcript in bytes.
	MaxText = 16 << 10

	// maxName is the length in bytes of a name or unit that is kept.
	maxName = 256

	// maxLine is the length of a line of the index in bytes. JSON may write a byte of
	// text as six.
	maxLine = 6*(MaxText+2*maxName) + 1024

	// pageSamples is how much voice a page of a file holds, and a kill may cost:
	// 240 ms, in samples at 48 kHz.
	pageSamples = packet.Rate * 240 / 1000

	// frameBytes and frameMs are the size and length of an IMBE frame (TIA-102.BABA:
	// 88 bits for 20 ms).
	frameBytes = 11
	frameMs    = 20

	// compactSlack is how many outdated lines the index may have beyond as many as
	// there are recordings.
	compactSlack = 4096

	// maxOwed is how many bytes of lines are kept in memory while the disk takes none.
	maxOwed = 4 << 20

	// pageOfWork is how many recordings are looked at, or removed, at a time.
	pageOfWork = 1024

	// DefaultLimit and MaxLimit are how many recordings a page of a list has.
	DefaultLimit = 100
	MaxLimit     = 500

	// lookEvery is how often retention looks, and flushEvery how often the index is
	// flushed to the disk.
	lookEvery  = 10 * time.Second
	flushEvery = time.Second

	// spare is the part of the quota, and of MaxEntries, that is made free when one is
	// exceeded: a hundredth.
	spare = 100

	// standFor is how long a clock that has jumped forward must stand before ages are
	// measured by it, and jump is how far it must go for that.
	standFor = 6 * time.Hour
	jump     = time.Minute

	// probeBytes is how much a probe of the disk writes, and spareFree how much more than
	// what is to be kept free must be free after the disk was full.
	probeBytes = 64 << 10
	spareFree  = 16 << 20

	// roomEvery is how often a burst that goes on looks whether the disk has room.
	roomEvery = time.Second

	// entryWait is how long somebody who asks for a recording that is being made waits for
	// a disk that is writing it.
	entryWait = 100 * time.Millisecond

	// noteEvery is how often the time by which ages are measured is noted in the index.
	noteEvery = 10 * time.Minute
)
