package stream

import (
	"encoding/binary"

	"github.com/pion/rtcp"
)

// Sender is what a sender report says (RFC 3550 section 6.4.1).
type Sender struct {
	SSRC    uint32
	NTP     uint64 // when it was made
	RTP     uint32 // the same moment on the stream's clock
	Packets uint32 // sent so far
	Octets  uint32
}

// Bytes of RTCP.
const (
	rtcpHeader  = 8 // with the SSRC
	senderInfo  = 20
	reportBlock = 24
)

// AppendSender appends a sender report without blocks to a compound packet.
func AppendSender(dst []byte, s Sender) []byte {
	dst = appendHeader(dst, rtcp.TypeSenderReport, 0, rtcpHeader+senderInfo, s.SSRC)
	dst = binary.BigEndian.AppendUint64(dst, s.NTP)
	dst = binary.BigEndian.AppendUint32(dst, s.RTP)
	dst = binary.BigEndian.AppendUint32(dst, s.Packets)
	return binary.BigEndian.AppendUint32(dst, s.Octets)
}

// AppendReceiver appends a receiver report with one block to a compound packet (RFC 3550
// section 6.4.2).
func AppendReceiver(dst []byte, ssrc uint32, r rtcp.ReceptionReport) []byte {
	dst = appendHeader(dst, rtcp.TypeReceiverReport, 1, rtcpHeader+reportBlock, ssrc)
	dst = binary.BigEndian.AppendUint32(dst, r.SSRC)
	dst = binary.BigEndian.AppendUint32(dst, uint32(r.FractionLost)<<24|r.TotalLost&0xff_ffff)
	dst = binary.BigEndian.AppendUint32(dst, r.LastSequenceNumber)
	dst = binary.BigEndian.AppendUint32(dst, r.Jitter)
	dst = binary.BigEndian.AppendUint32(dst, r.LastSenderReport)
	return binary.BigEndian.AppendUint32(dst, r.Delay)
}

func appendHeader(dst []byte, kind rtcp.PacketType, blocks uint8, length int, ssrc uint32) []byte {
	dst = append(dst, 2<<6|blocks, byte(kind))
	dst = binary.BigEndian.AppendUint16(dst, uint16(length/4-1))
	return binary.BigEndian.AppendUint32(dst, ssrc)
}

// Reports reads the sender and receiver reports of a compound packet: sent gets the NTP
// time of each sender report, block each block. Other packets are passed over. It says
// whether the whole packet is well-formed; what comes before an error is read.
func Reports(compound []byte, sent func(ntp uint64), block func(rtcp.ReceptionReport)) bool {
	for len(compound) > 0 {
		if len(compound) < 4 || compound[0]>>6 != 2 {
			return false
		}
		length := 4 * (int(binary.BigEndian.Uint16(compound[2:])) + 1)
		if length > len(compound) {
			return false
		}
		packet, blocks, kind := compound[:length], int(compound[0]&0x1f), rtcp.PacketType(compound[1])
		compound = compound[length:]
		info := 0
		switch kind {
		case rtcp.TypeSenderReport:
			info = senderInfo
		case rtcp.TypeReceiverReport:
		default:
			continue
		}
		if length < rtcpHeader+info+blocks*reportBlock {
			return false
		}
		if kind == rtcp.TypeSenderReport {
			sent(binary.BigEndian.Uint64(packet[rtcpHeader:]))
		}
		for b := packet[rtcpHeader+info:]; blocks > 0; b, blocks = b[reportBlock:], blocks-1 {
			block(rtcp.ReceptionReport{
				SSRC:               binary.BigEndian.Uint32(b),
				FractionLost:       b[4],
				TotalLost:          binary.BigEndian.Uint32(b[4:]) & 0xff_ffff,
				LastSequenceNumber: binary.BigEndian.Uint32(b[8:]),
				Jitter:             binary.BigEndian.Uint32(b[12:]),
				LastSenderReport:   binary.BigEndian.Uint32(b[16:]),
				Delay:              binary.BigEndian.Uint32(b[20:]),
			})
		}
	}
	return true
}
