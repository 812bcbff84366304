package voice

import (
	"context"
	"errors"
	"slices"
	"time"

	"squelch/core"
	"squelch/server/engine"
)

// moves says whether a step may change what somebody hears, apart from who talks.
func moves(s *engine.Step) bool {
	if s.Snapshot != nil {
		return true
	}
	for i := range s.Output.Events {
		switch f := s.Output.Events[i].Fact.(type) {
		case core.FloorTaken: // those who follow the talker hear it wherever it keys
			if row, ok := s.View.Routes().Row(f.User, f.Keyed); ok && slices.ContainsFunc(row.Legs, func(l core.Leg) bool { return l.Reason == core.AsFollower }) {
				return true
			}
		case core.FloorReleased, core.FloorDenied, core.SelfChanged, core.UnitsLocated, core.ChannelChanged,
			core.TonePlayed, core.AlertPlayed, core.BroadcastSent, core.UserAlerted, core.TransmissionsShown:
		default:
			return true
		}
	}
	switch s.Order.Command.(type) {
	case core.Start3D, core.Stop3D: // nobody is told
		return s.Refusal == nil
	}
	return false
}

// Attached implements sfu.Cascade: this node may have to receive other channels.
func (v *Voice) Attached() {
	select {
	case v.changed <- struct{}{}:
	default:
	}
}

// keep keeps the subscriptions as they must be.
func (v *Voice) keep() {
	again := time.NewTicker(tellEvery)
	defer again.Stop()
	settled := time.NewTimer(0)
	defer settled.Stop()
	for {
		select {
		case <-v.ctx.Done():
			return
		case <-again.C:
			v.remind()
			continue
		case <-v.changed:
		}
		if e := v.engine.Load(); e != nil {
			v.follow(e)
		}
		settled.Reset(settleTime)
		select {
		case <-v.ctx.Done():
			return
		case <-settled.C:
		}
	}
}

// follow asks the radio what this node must receive, and subscribes to that.
func (v *Voice) follow(e *engine.Engine) {
	ctx, cancel := context.WithTimeout(v.ctx, lookTime)
	defer cancel()
	users := v.o.Media.Attached()
	var channels []core.Frequency
	err := e.View(ctx, func(radio core.View) {
		if !v.all.Load() {
			channels = radio.Interest(users)
			return
		}
		for _, c := range radio.Channels() {
			channels = append(channels, c.Frequency)
		}
	})
	if err != nil {
		if v.ctx.Err() == nil && !errors.Is(err, engine.ErrClosed) {
			v.o.Logf("radio %s: who hears what on this node cannot be found out: %v", v.o.Radio, err)
			v.Attached() // again
		}
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.over {
		v.listen(channels)
	}
}
