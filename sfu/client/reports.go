package client

import (
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/report"
	"github.com/pion/rtcp"
)

// reportEvery is the pace of RTCP reports.
const reportEvery = time.Second

// reports makes what sends RTCP reports as browsers do: about streams on which something
// has come.
func reports() (*interceptor.Registry, error) {
	r := &interceptor.Registry{}
	r.Add(onlyOfVoice{})
	for _, make := range []func() (interceptor.Factory, error){
		func() (interceptor.Factory, error) {
			return report.NewReceiverInterceptor(report.ReceiverInterval(reportEvery))
		},
		func() (interceptor.Factory, error) {
			return report.NewSenderInterceptor(report.SenderInterval(reportEvery))
		},
	} {
		f, err := make()
		if err != nil {
			return nil, err
		}
		r.Add(f)
	}
	return r, nil
}

// onlyOfVoice leaves out reports about streams that are still empty.
type onlyOfVoice struct{ interceptor.NoOp }

// NewInterceptor implements interceptor.Factory.
func (onlyOfVoice) NewInterceptor(string) (interceptor.Interceptor, error) {
	return &onlyOfVoice{}, nil
}

// BindRTCPWriter implements interceptor.Interceptor.
func (*onlyOfVoice) BindRTCPWriter(w interceptor.RTCPWriter) interceptor.RTCPWriter {
	return interceptor.RTCPWriterFunc(func(packets []rtcp.Packet, a interceptor.Attributes) (int, error) {
		if len(packets) == 1 {
			if r, ok := packets[0].(*rtcp.ReceiverReport); ok && len(r.Reports) == 1 && r.Reports[0].LastSequenceNumber == 0 {
				return 0, nil
			}
		}
		return w.Write(packets, a)
	})
}
