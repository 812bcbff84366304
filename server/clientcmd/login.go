package clientcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"squelch/core/wire"
)

// credentials open the socket.
type credentials struct{ token, session string }

// login trades NAC id and callsign for a session; a token needs none.
func (o *options) login(ctx context.Context) (credentials, error) {
	if o.token != "" {
		return credentials{o.token, o.session}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	body, err := json.Marshal(wire.AuthRequest{NacID: wire.Text(o.nac), Callsign: wire.Text(o.callsign)})
	if err != nil {
		return credentials{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.server+"/radio/dispatch/auth", bytes.NewReader(body))
	if err != nil {
		return credentials{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Close = true // the only request of the run
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return credentials{}, unreachable(o.server, err)
	}
	defer resp.Body.Close()
	var reply struct {
		wire.AuthReply
		Error string `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(&reply); err != nil {
		return credentials{}, fmt.Errorf("%s is not a radio: it answered %s (%w)", o.server, resp.Status, err)
	}
	if !reply.Success {
		return credentials{}, fmt.Errorf("login: %s", reply.Error)
	}
	return credentials{reply.AuthToken, reply.SessionID}, nil
}

func unreachable(server string, err error) error {
	return fmt.Errorf("the radio at %s cannot be reached: %w", server, err)
}
