package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/pion/webrtc/v4"
)

// strangerAttacks are those of somebody without credentials.
var strangerAttacks = map[string]attack{
	"handshakes without credentials": func(e *enemy) error { return e.refused("") },
	"handshakes with a guess": func(e *enemy) error {
		return e.refused(fmt.Sprintf(`{"authToken":"guess %d","serverId":-1}`, e.number()))
	},
	"handshakes with an outdated token": func(e *enemy) error {
		return e.refused(fmt.Sprintf(`{"authToken":%q,"sessionId":%q,"serverId":-100}`, outdated, outdated))
	},
	"handshakes that name another's socket": func(e *enemy) error {
		return errors.Join(e.refused(fmt.Sprintf(`{"serverId":-100,"pid":%q,"offset":%q}`, e.pid, e.offset)),
			e.refused(fmt.Sprintf(`{"authToken":%q,"serverId":501,"pid":%q,"offset":%q}`, outdated, e.pid, e.offset)))
	},
	"sockets that say nothing": func(e *enemy) error {
		if r := e.socket(); r != nil {
			e.keep(r.NetConn())
		}
		return nil
	},
	"polls that never join": func(e *enemy) error {
		return e.wants("GET", "/socket.io/?EIO=4&transport=polling", "", session{}, http.StatusOK)
	},
	"requests that never end": func(e *enemy) error {
		ctx, cancel := context.WithTimeout(context.Background(), enemyPatience)
		defer cancel()
		conn, err := e.dial(ctx, "tcp", strings.TrimPrefix(e.s.url, "http://"))
		if err != nil {
			return nil
		}
		fmt.Fprint(conn, "POST /radio/dispatch/auth HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{")
		e.keep(conn)
		return nil
	},
	"logins with a wrong NAC id": func(e *enemy) error {
		return parallel(8, func() error {
			body := fmt.Sprintf(`{"nacId":"guess %d","callsign":"EVE"}`, e.number())
			return e.wants("POST", "/radio/dispatch/auth", body, session{}, http.StatusUnauthorized)
		})
	},
	"passwords of the administration": func(e *enemy) error {
		return e.wants("POST", "/admin/api/login", fmt.Sprintf(`{"password":"guess %d"}`, e.number()), session{}, http.StatusUnauthorized)
	},
	"reauth with tokens of nobody": func(e *enemy) error {
		for _, token := range []string{outdated, fmt.Sprint("guess ", e.number())} {
			if err := e.wants("POST", "/radio/dispatch/reauth", `{"callsign":"EVE"}`, session{AuthToken: token}, http.StatusUnauthorized); err != nil {
				return err
			}
		}
		return nil
	},
	"calls of others": func(e *enemy) error {
		return errors.Join(e.wants("GET", "/radio/dispatch/status", "", session{}, http.StatusUnauthorized),
			e.wants("POST", "/api/player/drop", `{"serverId":501}`, session{AuthToken: outdated}, http.StatusUnauthorized),
			e.wants("POST", "/dispatch/user/disconnect", `{"userId":-100}`, session{AuthToken: outdated, SessionID: outdated}, http.StatusUnauthorized))
	},
	"bodies that are too large": func(e *enemy) error {
		return e.wants("POST", "/radio/dispatch/auth", `{"nacId":"`+strings.Repeat("x", 2<<20)+`"}`, session{}, http.StatusRequestEntityTooLarge)
	},
	"packets that are none": func(e *enemy) error {
		if r := e.socket(); r != nil {
			r.say(packets[e.number()%len(packets)], "40{}", strings.Repeat("4", 900_000))
			_ = r.Close()
		}
		return nil
	},
}

// insiderAttacks are those of a dispatcher with a session.
var insiderAttacks = map[string]attack{
	"reauth in a chain": func(e *enemy) error {
		by := e.by
		for range 10 {
			status, answer := e.rest("POST", "/radio/dispatch/reauth", `{"callsign":"MAD"}`, session{AuthToken: by.AuthToken})
			if status == http.StatusOK && json.Unmarshal([]byte(answer), &by) == nil {
				continue
			}
			if status != http.StatusTooManyRequests && status != http.StatusUnauthorized && status != 0 { // 401: a session of its own chain has ended it
				return fmt.Errorf("status %d %s", status, answer)
			}
			return nil
		}
		return nil
	},
	"sockets under the ids of others": func(e *enemy) error {
		for _, id := range []int{-100, -101, -102, -e.number()} {
			if r := e.desk(id); r != nil {
				r.say(`42["addListeningChannel","154.755"]`)
				e.keep(r.NetConn()) // cut some day
			}
		}
		return nil
	},
	"links that break under ever new ids": func(e *enemy) error {
		for range 20 {
			if r := e.desk(-e.number()); r != nil {
				r.done() // it is on the radio
				_ = r.Close()
			}
		}
		return nil
	},
	"recoveries of its own socket": func(e *enemy) error {
		id := -e.number()
		r, greeting := e.knock(e.auth(id, ""))
		for n := 0; r != nil && strings.HasPrefix(greeting, "40"); n++ {
			pid, offset := r.papers(greeting)
			_ = r.Close()
			if n == 5 {
				return nil
			}
			r, greeting = e.knock(e.auth(id, fmt.Sprintf(`,"pid":%q,"offset":%q`, pid, offset)))
			if strings.Contains(greeting, pid) {
				e.recovered.Add(1)
			}
		}
		return nil
	},
	"recoveries of another's socket": func(e *enemy) error {
		r, greeting := e.knock(e.auth(-102, fmt.Sprintf(`,"pid":%q,"offset":%q`, e.pid, e.offset)))
		if r == nil {
			return nil
		}
		defer r.Close()
		if strings.Contains(greeting, e.pid) {
			return fmt.Errorf("it has the other's socket: %s", greeting)
		}
		return nil
	},
	"joins, scans and moves": func(e *enemy) error {
		return e.flood(func(r *set, n int) {
			f := []string{"460.25", "463", "154.81", "856.1125"}[n%4]
			r.say(fmt.Sprintf(`42["addListeningChannel",%q]`, f), fmt.Sprintf(`42["setSpeakerChannel",%q]`, f),
				fmt.Sprintf(`42["removeListeningChannel",%q]`, f), `42["leaveSpeakerChannel"]`)
		})
	},
	"floods of key-ups": func(e *enemy) error {
		return e.flood(func(r *set, _ int) {
			r.say(`42["setTalking",{"state":true,"frequency":"460.25","override":true}]`, `42["setTalking",false]`)
		})
	},
	"floods of voice": func(e *enemy) error {
		frame := fmt.Sprintf(`42["voice",{"frequency":"460.25","data":%q}]`, strings.Repeat("Vm9pY2Vz", 4000))
		return e.flood(func(r *set, _ int) {
			r.say(`42["setTalking",{"state":true,"frequency":"460.25","override":true}]`, frame)
		})
	},
	"events that nobody knows": func(e *enemy) error {
		return e.flood(func(r *set, n int) {
			r.say(fmt.Sprintf(`42["event %d",%s]`, n, wrongs[n%len(wrongs)]), `42["setDispatchSession","of nobody"]`, `42["panic",{"frequency":"460.25","enabled":true}]`)
		})
	},
	"payloads that are too large": func(e *enemy) error {
		if r := e.desk(-e.number()); r != nil {
			large := `42["updateUserInfo",{"name":"` + strings.Repeat("x", 900_000) + `"}]`
			r.say(large, large, `42["voice",{"data":"`+strings.Repeat("x", 2<<20)+`"}]`)
			_ = r.WriteMessage(websocket.BinaryMessage, make([]byte, 900_000))
			_ = r.Close()
		}
		return nil
	},
	"offers of WebRTC": func(e *enemy) error {
		r := e.desk(-e.number())
		if r == nil {
			return nil
		}
		defer r.Close()
		sdp, err := offer()
		if err != nil {
			return err
		}
		for _, o := range []string{sdp, "v=0", sdp, strings.Repeat("a=candidate\r\n", 5000), sdp} {
			text, _ := json.Marshal(o)
			r.say(fmt.Sprintf(`421["webrtc:offer",{"sdp":%s}]`, text))
			r.hear("431")
		}
		return nil
	},
	"calls without a pause": func(e *enemy) error {
		for range 40 {
			if err := e.wants("GET", "/radio/dispatch/status", "", e.by, http.StatusOK); err != nil {
				return err
			}
		}
		return nil
	},
	"patches, alerts and broadcasts": func(e *enemy) error {
		for _, c := range []struct{ path, body string }{
			{"/api/patch/create", `{"frequencies":["154.81","460.25"]}`},
			{"/radio/dispatch/alert/trigger", `{"frequency":"460.25","alertType":"Ping"}`},
			{"/radio/dispatch/broadcast", `{"frequency":"460.25","message":"` + strings.Repeat("m", 400) + `","type":"x"}`},
			{"/api/patch/remove", `{"id":"p-` + fmt.Sprint(e.number()%200) + `"}`},
		} {
			if status, answer := e.rest("POST", c.path, c.body, e.by); status >= 500 && status != http.StatusServiceUnavailable {
				return fmt.Errorf("%s: status %d %s", c.path, status, answer)
			}
		}
		return nil
	},
}

// flood calls send again and again on one socket.
func (e *enemy) flood(send func(r *set, n int)) error {
	r := e.desk(-e.number())
	if r == nil {
		return nil
	}
	defer r.Close()
	for n := range 60 {
		send(r, n)
	}
	r.done()
	return nil
}

// papers returns what a client sends to be recovered.
func (r *set) papers(greeting string) (pid, offset string) {
	_, rest, _ := strings.Cut(greeting, `"pid":"`)
	pid, _, _ = strings.Cut(rest, `"`)
	r.say(`42["heartbeat",1]`)
	event := r.hear(`42["heartbeat_response"`)
	if at := strings.LastIndex(event, `,"`); at >= 0 {
		offset = strings.TrimSuffix(event[at+2:], `"]`)
	}
	return pid, offset
}

func parallel(n int, f func() error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// offer is a real SDP offer, made once.
var offer = sync.OnceValues(func() (string, error) {
	peer, err := webrtc.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return "", err
	}
	defer peer.GracefulClose()
	for range 8 {
		if _, err := peer.AddTransceiverFromKind(webrtc.RTPCodecTypeAudio); err != nil {
			return "", err
		}
	}
	o, err := peer.CreateOffer(nil)
	if err != nil {
		return "", err
	}
	gathered := webrtc.GatheringCompletePromise(peer)
	if err := peer.SetLocalDescription(o); err != nil {
		return "", err
	}
	select {
	case <-gathered:
		return peer.LocalDescription().SDP, nil
	case <-time.After(patience):
		return "", errors.New("no addresses")
	}
})
