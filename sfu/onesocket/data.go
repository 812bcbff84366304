package onesocket

import (
	"net"

	"github.com/pion/datachannel"
	"github.com/pion/sctp"

	"squelch/sfu/line"
)

// channels carries the data channels of a client over its DTLS connection (RFC 8261), which
// goes on for that. It returns when the client has left.
func (p *peer) channels(conn net.Conn) error {
	association, err := sctp.ClientWithOptions(sctp.WithNetConn(conn), sctp.WithLoggerFactory(quiet{}),
		sctp.WithMTU(line.MaxPacket), sctp.WithMaxMessageSize(uint32(p.dataMost)), sctp.WithMaxReceiveBufferSize(line.MessageWindow))
	if err != nil {
		return err
	}
	config := &datachannel.Config{LoggerFactory: quiet{}}
	for {
		c, err := datachannel.Accept(association, config)
		if err != nil {
			break
		}
		reliable := c.ChannelType == datachannel.ChannelTypeReliable
		wanted := false
		p.notice(func() { wanted = p.owner.Opening(c.Label, reliable) })
		if !wanted {
			_ = c.Close()
			continue
		}
		p.notice(func() { p.owner.Opened(c) })
	}
	_ = association.Close()
	p.end(line.ErrLeft)
	return nil
}
