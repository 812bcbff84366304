package socket

import (
	"context"

	"squelch/core"
	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/tones"
)

// toneFile answers with a piece of a tone's sound file. Only files of the tone list can
// be named, and they are opened anew for each piece: nothing is kept for a client.
func (c *client) toneFile(step door.Step, ack func(...any)) {
	if ack == nil {
		c.hub.wrong.Add(1) // without an ack nobody would get the answer
		return
	}
	piece, err := c.hub.piece(step.Body.(wire.ToneFile))
	answer := step.Answer(core.Output{}, err)
	if err == nil {
		answer.Body = piece
	}
	c.tell(answer, ack)
}

func (h *Hub) piece(asked wire.ToneFile) (wire.TonePiece, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	var file string
	var unknown error
	if err := h.Engine().View(ctx, func(v core.View) { file, unknown = door.Sound(v, asked.Name) }); err != nil {
		return wire.TonePiece{}, err
	}
	if unknown != nil {
		return wire.TonePiece{}, unknown
	}
	sound, err := tones.Open(h.Tones, file)
	if err != nil {
		return wire.TonePiece{}, door.ErrNoSound
	}
	defer sound.Close()
	data, err := sound.Read(int64(asked.Offset), pieceBytes)
	if err != nil {
		return wire.TonePiece{}, err
	}
	return wire.TonePiece{Data: data, Offset: asked.Offset, Size: int(sound.Size), Type: sound.Type}, nil
}
