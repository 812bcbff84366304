package mesh

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Alone starts NATS for this process only: it opens no port and knows no other node. It has
// no connection for voice.
func Alone(folder string, logf func(format string, args ...any)) (m *Mesh, err error) {
	m = &Mesh{node: "alone"}
	defer func() {
		if err != nil {
			m.Close()
			m = nil
		}
	}()
	m.server, err = server.NewServer(&server.Options{ServerName: "squelch", DontListen: true, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: folder, SyncAlways: true, JetStreamMaxStore: maxStore, JetStreamMaxMemory: maxMemory, MaxPayload: MaxPayload, MaxPending: maxPending})
	if err != nil {
		return m, fmt.Errorf("NATS for the radios of this host: %w", err)
	}
	log := &serverLog{logf: logf}
	m.server.SetLoggerV2(log, false, false, false)
	m.server.Start()
	if !m.server.ReadyForConnections(startTime) || !m.server.JetStreamEnabled() {
		return m, errors.Join(fmt.Errorf("NATS for the radios of this host did not start on %s", folder), log.failure())
	}
	if m.Log, err = nats.Connect("", nats.InProcessServer(m.server), nats.Name("squelch radios"), nats.NoReconnect(), nats.ErrorHandler(complain(logf))); err != nil {
		return m, fmt.Errorf("NATS for the radios of this host: %w", err)
	}
	m.Stream, err = jetstream.New(m.Log, jetstream.WithDefaultTimeout(writeTimeout))
	return m, err
}
