package core

import (
	"slices"
	"strings"
)

// Patch joins channels: what is said on one is heard on all.
type Patch struct {
	Number      int         `json:"number"`
	Label       string      `json:"label"`
	Frequencies []Frequency `json:"frequencies"` // in the order given
	CreatedBy   UserID      `json:"createdBy"`
	CreatedAt   int64       `json:"createdAt"` // ms since the epoch
}

// ID is the patch's public name, "p-1".
func (p Patch) ID() string { return PatchID(p.Number) }

// PatchID is the public name of a patch number.
func PatchID(number int) string { return "p-" + itoa(number) }

func (p Patch) clone() Patch {
	p.Frequencies = slices.Clone(p.Frequencies)
	return p
}

type (
	// CreatePatch joins at least two distinct non-trunked channels, none of which
	// is patched already. An empty label becomes their names, joined by " + ".
	CreatePatch struct {
		Label       string
		Frequencies []Frequency
		CreatedBy   UserID // 0: the actor; anybody but a dispatcher becomes -1
	}
	// RemovePatch removes the patch with an ID such as "p-1".
	RemovePatch struct{ ID string }
)

func (c CreatePatch) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	channels, err := s.patchable(c.Frequencies)
	if err != nil {
		return err
	}
	label, err := Line("label", c.Label, 0, s.cfg.Limits.MessageRunes)
	if err != nil {
		return err
	}
	if label == "" {
		names := make([]string, len(channels))
		for i, ch := range channels {
			names[i] = ch.cfg.Name
		}
		label = strings.Join(names, " + ")
	}
	label = cut(label, s.cfg.Limits.MessageRunes)
	by := c.CreatedBy
	if by == 0 {
		by = s.by.User
	}
	if !by.Dispatcher() {
		by = -1
	}
	s.d.LastPatch++
	p := Patch{Number: s.d.LastPatch, Label: label, CreatedBy: by, CreatedAt: s.now}
	for _, ch := range channels {
		p.Frequencies = append(p.Frequencies, ch.at)
	}
	s.d.Patches = append(s.d.Patches, p)
	s.x.patch(&p)
	s.out.Save = true
	s.tell(s.onChannels(p.Frequencies...), PatchCreated{p.clone()})
	s.refreshTalks("patch", p.Frequencies...)
	return nil
}

// patchable checks a patch's channels, in the order in which clients expect the
// errors.
func (s *step) patchable(fs []Frequency) ([]*channel, error) {
	var channels []*channel
	var distinct []Frequency
	for _, f := range fs {
		if insertSorted(&distinct, f) {
			ch := s.resolve(f)
			if ch == nil {
				return nil, errChannelNotFound
			}
			channels = append(channels, ch)
		}
	}
	if len(channels) < 2 {
		return nil, invalid("frequencies", "frequencies needs at least 2 distinct channels")
	}
	if len(channels) > s.cfg.Limits.PatchSize {
		return nil, invalid("frequencies", "frequencies has more than "+itoa(s.cfg.Limits.PatchSize)+" channels")
	}
	for _, ch := range channels {
		if ch.cfg.Type == Trunked {
			return nil, invalid("frequencies", "frequencies names "+ch.at.String()+", which is trunked")
		}
	}
	for _, ch := range channels {
		if p := s.patchOf(ch.at); p != nil {
			return nil, &Error{Conflict, "frequencies", ch.at.String() + " is already in patch " + p.ID()}
		}
	}
	if len(s.d.Patches) >= s.cfg.Limits.Patches {
		return nil, &Error{Full, "frequencies", "There are already " + itoa(len(s.d.Patches)) + " patches"}
	}
	return channels, nil
}

func (c RemovePatch) apply(s *step) error {
	if err := s.mayDispatch(); err != nil {
		return err
	}
	for i := range s.d.Patches {
		if s.d.Patches[i].ID() == c.ID {
			s.removePatch(i)
			return nil
		}
	}
	return &Error{NotFound, "id", "Patch not found"}
}

func (s *step) removePatch(i int) {
	p := s.d.Patches[i]
	s.d.Patches = cutOut(s.d.Patches, i)
	s.x.unpatch(&p)
	s.out.Save = true
	s.refreshTalks("patch", p.Frequencies...)
	s.tell(s.onChannels(p.Frequencies...), PatchRemoved{p.clone()})
}

// patchOf finds the patch that a channel is in; nil: none.
func (s *State) patchOf(f Frequency) *Patch {
	n := s.x.at(f).patch
	if n == 0 {
		return nil
	}
	i := slices.IndexFunc(s.d.Patches, func(p Patch) bool { return p.Number == n })
	return &s.d.Patches[i]
}

// trimPatches takes channels that are gone or have become trunked out of patches,
// and removes patches that are left with one.
func (s *step) trimPatches() {
	for i := len(s.d.Patches) - 1; i >= 0; i-- {
		p := &s.d.Patches[i]
		n := len(p.Frequencies)
		kept := slices.DeleteFunc(slices.Clone(p.Frequencies), func(f Frequency) bool {
			ch := s.channelAt(f)
			return ch == nil || ch.cfg.Type == Trunked
		})
		switch {
		case len(kept) < 2:
			s.removePatch(i)
		case len(kept) < n:
			were := p.Frequencies
			s.x.unpatch(p)
			p.Frequencies = kept
			s.x.patch(p)
			s.tell(s.onChannels(kept...), PatchChanged{p.clone()})
			s.refreshTalks("patch", were...)
		}
	}
}
