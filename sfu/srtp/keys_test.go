package srtp

import (
	"errors"
	"testing"
)

// TestWrongKeys are refused with what is wrong about them.
func TestWrongKeys(t *testing.T) {
	gcm := keys(AEAD_AES_128_GCM)
	for _, k := range []Keys{
		{}, {Profile: 2, Key: gcm.Key, Salt: gcm.Salt},
		{Profile: AEAD_AES_128_GCM, Key: gcm.Key[:15], Salt: gcm.Salt},
		{Profile: AES_CM_128_HMAC_SHA1_80, Key: gcm.Key, Salt: gcm.Salt},
		{Profile: AEAD_AES_128_GCM, Key: gcm.Key, Salt: make([]byte, 14)},
	} {
		_, outErr := NewOut(k)
		_, inErr := NewIn(k, 1)
		if outErr == nil || inErr == nil || outErr.Error() != inErr.Error() {
			t.Errorf("%+v: %v, %v", k, outErr, inErr)
		} else {
			t.Log(outErr)
		}
	}
}

// exporter gives key material as a DTLS connection would.
type exporter struct{ t *testing.T }

var errHandshake = errors.New("handshake in progress")

func (e exporter) ExportKeyingMaterial(label string, context []byte, length int) ([]byte, error) {
	if e.t == nil {
		return nil, errHandshake
	}
	if label != "EXTRACTOR-dtls_srtp" || context != nil {
		e.t.Errorf("asked for %q, %x", label, context)
	}
	m := make([]byte, length)
	for i := range m {
		m[i] = byte(i)
	}
	return m, nil
}

// TestDTLSKeys: client key, server key, client salt, server salt (RFC 5764 section 4.2).
func TestDTLSKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		client, server, err := DTLSKeys(k.Profile, exporter{t})
		if err != nil {
			t.Fatal(err)
		}
		m, n := make([]byte, 60), byte(len(k.Salt))
		for i := range m {
			m[i] = byte(i)
		}
		want(t, "client key", client.Key, m[:16])
		want(t, "server key", server.Key, m[16:32])
		want(t, "client salt", client.Salt, m[32:32+n])
		want(t, "server salt", server.Salt, m[32+n:32+2*n])
		if _, _, err := DTLSKeys(k.Profile, exporter{}); err != errHandshake {
			t.Errorf("before the handshake has ended: %v", err)
		}
	})
	if _, _, err := DTLSKeys(2, exporter{t}); err == nil {
		t.Error("an unknown profile has keys")
	}
}
