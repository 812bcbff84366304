package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"

	"squelch/server/checkcmd"
	"squelch/server/cluster/mirror"
	"squelch/server/config"
	"squelch/server/host"
	"squelch/server/logs"
	"squelch/server/panel"
	"squelch/server/radio"
	"squelch/server/radios"
	"squelch/server/store"
	"squelch/sfu"
)

// service is what the flags of serve ask for.
type service struct {
	loaded       *config.Loaded
	reread       func(ctx context.Context) (*config.Loaded, []string, error) // nil: there is no file
	data         string
	listen       string
	media        string // address and port of voice; "": as the configuration says
	debug        string // address and port of metrics and profiles; "": none
	journal      string
	allowDefault bool
	kept         bool // others than the owner may read the output later
	out          io.Writer
	log          *logs.Log
}

// journalStream is the environment variable by which systemd says that the journal reads
// the output (systemd.exec).
const journalStream = "JOURNAL_STREAM"

// run puts the service together, host first, serves until ctx ends, and stops in
// the opposite order.
func (s *service) run(ctx context.Context) (err error) {
	hangup := catchHangups() // a signal during the start or the stop must not kill it
	defer signal.Stop(hangup)
	h, err := host.Open(ctx, host.Options{Data: s.data, TLS: host.TLS(s.loaded.Server.TLS), Timeline: s.loaded.Server.Limits.TransmissionLog, Log: s.log.Logger})
	if errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrNotWritable) {
		return fmt.Errorf("%w, or give this service a folder of its own with --data", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	node, err := s.join(ctx)
	if err != nil {
		return err
	}
	storage := radio.OnStore(h.Store())
	if node != nil {
		defer node.Close()
		var copied *mirror.Mirror
		if storage, copied, err = s.share(ctx, h, node); err != nil {
			return err
		}
		defer copied.Close()
	}
	generated, err := radio.Secrets(ctx, storage.Secrets, s.loaded)
	s.show("", generated) // at once, because a start that fails later would not show them
	if err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if err := s.open(h); err != nil {
		return err
	}
	var debug *debugPort
	if s.debug != "" {
		if debug, err = openDebug(s.debug); err != nil {
			return err
		}
		defer debug.close()
		if doubt := debug.warning(); doubt != "" {
			s.log.Warn(doubt)
		}
	}
	voice, err := s.voice(h)
	if err != nil {
		return err
	}
	defer voice.Close()
	r, err := radios.Start(ctx, radios.Options{Data: s.data, Read: s.other, Generated: s.show,
		Default: radio.Options{Config: s.loaded, Reread: s.reread, Store: storage, Cluster: node, Folder: s.data, Ports: voice,
			Panel: panel.New(), Journal: s.journal, Build: buildVersion(), Log: s.log.Logger, Lines: s.log}})
	if err != nil {
		return err
	}
	if debug != nil {
		debug.radios.Store(r)
	}
	s.greet(h, r, storage)
	ctx, over := s.hangups(ctx, hangup, r.Default().ReloadAndLog)
	defer over()
	return h.Run(ctx, r)
}

// show prints generated secrets; name is that of another radio than the default one.
func (s *service) show(name string, generated []radio.Secret) {
	which, how := "", ""
	if name != "" {
		which, how = name+" ", " --radio "+name
	}
	for _, secret := range generated {
		if s.kept { // the journal or the log file keeps it, and others than the owner read it
			secret.Value = "(shown by: squelch secrets --data " + s.data + how + ")"
		}
		fmt.Fprintf(s.out, "generated %s%-14s %s\n", which, secret.Name, secret.Value)
	}
}

// other reads the configuration of another radio. The flags and the environment are those of
// the default one.
func (s *service) other(ctx context.Context, file string) (*config.Loaded, []string, error) {
	return checkcmd.Examine(ctx, file, checkcmd.Terms{Listen: s.listen, AllowDefault: s.allowDefault, Other: true})
}

// check refuses a configuration that is not safe for the address on which it will
// listen.
func (s *service) check() error {
	warnings, err := config.CheckSecrets(s.listen, s.loaded.Server, s.allowDefault)
	if err != nil {
		return err
	}
	note, err := config.CheckExternal(s.listen, s.loaded.Server)
	if err != nil {
		return err
	}
	if short := config.WarnOfShortToken(s.loaded.Server); short != "" {
		warnings = append(warnings, short)
	}
	for _, w := range append(s.loaded.Warnings, warnings...) {
		s.log.Warn(w)
	}
	if note != "" {
		s.note(note)
	}
	return nil
}

// open opens the ports. The error for one that cannot be opened names the flag or key
// that chooses it.
func (s *service) open(h *host.Host) error {
	var port *host.PortError
	err := h.Listen(s.listen)
	if errors.As(err, &port) {
		return fmt.Errorf("--listen, or serverPort of the configuration: %w", err)
	}
	if err != nil {
		return err
	}
	media, note := s.voicePorts(h.Addr())
	if note != "" {
		s.note(note)
	}
	err = h.OpenMedia(media)
	switch {
	case errors.As(err, &port) && port.Net == "tcp":
		return fmt.Errorf("webrtc.tcpPort of the configuration: %w", err)
	case errors.As(err, &port):
		return fmt.Errorf("--media, or webrtc.udpPort of the configuration: %w", err)
	}
	return err
}

// voice puts the engine that carries voice on the open ports.
func (s *service) voice(h *host.Host) (*sfu.Ports, error) {
	w := s.loaded.Server.WebRTC
	return sfu.OpenPorts(sfu.Network{UDPConn: h.UDP(), TCPListener: h.TCP(), PublicAddresses: w.PublicAddresses, Engine: sfu.Engine(w.Engine)})
}

// note logs a remark of the start. One that begins with "warning: " is a warning.
func (s *service) note(text string) { logs.Printf(s.log.Logger, logs.Notice)("%s", text) }

// greet prints where the radio is and how to find the login: the secrets themselves
// are shown only once, when they are generated.
func (s *service) greet(h *host.Host, r *radios.Radios, storage *radio.Storage) {
	fmt.Fprintf(s.out, "Squelch %s is on the air at %s (data in %s)\n", buildVersion(), h.URL(), s.data)
	for _, row := range s.loaded.Services() {
		fmt.Fprintf(s.out, "  %-11s %s\n", row[0], row[2])
	}
	if c := s.loaded.Server.Cluster; c != nil {
		fmt.Fprintf(s.out, "  %-11s node %s of cluster %s\n", "cluster", c.Node, c.Name)
	}
	for _, other := range r.All()[1:] {
		fmt.Fprintf(s.out, "  %-11s %s%s %s\n", "radio", h.URL(), other.Path, strings.Join(other.Hosts, " "))
	}
	nac, _ := storage.Secrets.Get("dispatchNacId")
	if string(nac) == s.loaded.Server.DispatchNacID && !s.loaded.Server.Discord.Only {
		fmt.Fprintf(s.out, "  to see the dispatch NAC id for the login: squelch secrets --data %s\n", s.data)
	}
}
