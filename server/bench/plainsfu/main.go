// Command plainsfu is what the voice benchmark compares with: the shortest SFU that
// pion's documentation leads to, with default settings. One talker per channel; every
// listener has one track, to which each packet is written.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/pion/webrtc/v4"

	"squelch/server/bench/figures"
)

// channel is one talker's voice and who hears it.
type channel struct {
	mu        sync.RWMutex
	listeners []*webrtc.TrackLocalStaticRTP
}

func (c *channel) write(t *webrtc.TrackRemote) {
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		c.mu.RLock()
		for _, l := range c.listeners {
			_ = l.WriteRTP(p)
		}
		c.mu.RUnlock()
	}
}

func main() {
	var mu sync.Mutex
	channels := map[string]*channel{}
	var settings webrtc.SettingEngine
	settings.SetIncludeLoopbackCandidate(true) // the benchmark has no other network
	api := webrtc.NewAPI(webrtc.WithSettingEngine(settings))

	http.HandleFunc("/offer", func(w http.ResponseWriter, r *http.Request) {
		offer, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		mu.Lock()
		c := channels[r.URL.Query().Get("channel")]
		if c == nil {
			c = &channel{}
			channels[r.URL.Query().Get("channel")] = c
		}
		mu.Unlock()
		answer, err := connect(api, c, r.URL.Query().Get("talk") != "", string(offer))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"sdp": answer})
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + l.Addr().String())
	go func() { // ends with the benchmark
		figures.Answer(os.Stdin, os.Stdout)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(l, nil))
}

func connect(api *webrtc.API, c *channel, talk bool, offer string) (string, error) {
	pc, err := api.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return "", err
	}
	if talk {
		pc.OnTrack(func(t *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { c.write(t) })
	} else {
		t, err := webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus}, "voice", "radio")
		if err != nil {
			return "", err
		}
		sender, err := pc.AddTrack(t)
		if err != nil {
			return "", err
		}
		go func() { // pion's examples read RTCP so that interceptors run
			buf := make([]byte, 1500)
			for {
				if _, _, err := sender.Read(buf); err != nil {
					return
				}
			}
		}()
		c.mu.Lock()
		c.listeners = append(c.listeners, t)
		c.mu.Unlock()
	}
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return "", err
	}
	answer, err := pc.CreateAnswer(nil)
	if err != nil {
		return "", err
	}
	gathered := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(answer); err != nil {
		return "", err
	}
	<-gathered
	return pc.LocalDescription().SDP, nil
}
