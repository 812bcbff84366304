package sfu

import "squelch/core"

// Recorder keeps what is said. Begin is called when a talk begins; a self-test is none.
// It returns nil if the talk is not recorded. It is control code, and must not block.
type Recorder interface{ Begin(row core.Row) Tape }

// Tape takes the voice of one talk.
type Tape interface {
	// Take takes one piece, in its turn. It is on the hot path: it must not block, take a
	// lock that control code holds, or allocate. The payload is valid during the call only.
	// A client that sends over two transports at once has two goroutines that call it.
	Take(Piece)
	// End is control code: the talk's row is gone. What was on its way may still come.
	End()
}

// Piece is one frame of a talk as its tape gets it, after the pacer. Lost packets leave
// a gap in the media time.
type Piece struct {
	Kind    PieceKind
	Payload []byte
	Time    uint32 // media time of the first sample, at 48 kHz; without a meaning if opaque
	At      int64  // when it came, ns on the SFU's clock
	Lost    int    // frames of the talk that are missing directly before it
}

// PieceKind is what a piece is.
type PieceKind uint8

// A talk through the vocoder is taken twice, as Opus and as IMBE.
const (
	OpusPiece   PieceKind = iota // what listeners who take Opus get
	IMBEPiece                    // what listeners who take IMBE get
	OpaquePiece                  // not a packet: WebM of an older client, as it came
)

// take gives the tape a frame in its turn: as Opus and, if the voice goes through the
// vocoder, also as IMBE.
func (r *row) take(f *Frame) {
	opus, imbe := f, (*Frame)(nil)
	if r.vocoded(f.Encoding) {
		opus, imbe = f.decoded, f.imbe
	}
	if opus != nil {
		r.tape.Take(Piece{OpusPiece, opus.Bytes(), f.timestamp - opus.lead, f.at, int(f.lost)})
	}
	if !r.digital && f.Encoding == IMBE {
		imbe = f // it passes such a channel untouched
	}
	if imbe != nil {
		r.tape.Take(Piece{IMBEPiece, imbe.Bytes(), f.timestamp - imbe.lead, f.at, 0})
	}
}

// vocoded says whether the row's tape needs a frame in the forms that the vocoder makes.
func (r *row) vocoded(e Encoding) bool { return r.tape != nil && (r.digital || e == IMBE) }

// talkID is the talk of a row.
type talkID struct {
	number int
	since  int64
}

// tapesOf is the tape of each row: the old one if the talk goes on, another one if it
// begins. The result has the tapes that are over, too. The caller holds the control lock.
func (s *SFU) tapesOf(rows []core.Row) (tapes, over []Tape) {
	tapes = make([]Tape, len(rows))
	if s.recorder == nil {
		return tapes, nil
	}
	goOn := make(map[talkID]Tape, len(rows))
	for i := range rows {
		if rows[i].Keyed == 0 {
			continue
		}
		id := talkID{rows[i].Talk, rows[i].Since}
		tape, old := s.tapes[id]
		if !old {
			tape = s.recorder.Begin(rows[i])
		}
		tapes[i], goOn[id] = tape, tape
	}
	for id, tape := range s.tapes {
		if _, on := goOn[id]; !on && tape != nil {
			over = append(over, tape)
		}
	}
	s.tapes = goOn
	return tapes, over
}

func endAll(tapes []Tape) {
	for _, t := range tapes {
		t.End()
	}
}
