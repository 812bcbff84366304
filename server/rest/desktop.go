package rest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"squelch/core/door"
	"squelch/core/wire"
	"squelch/server/tones"
)

// installerTypes are what Windows installs from. Portable Executable has a
// registered type (IANA); an MSI package has only a customary one.
var installerTypes = map[string]string{
	".exe": "application/vnd.microsoft.portable-executable",
	".msi": "application/x-msi",
}

const (
	manifestName  = "update.json"
	installerPath = "/radio/dispatch/installer"
)

// desktop is the folder into which the operator puts the desktop app. Hashes are
// cached, because an installer has some 100 MB.
type desktop struct {
	folder string

	mu     sync.Mutex // held while a file is hashed, so that it happens once
	hashes map[string]hashed
}

type hashed struct {
	size    int64
	changed time.Time
	sha256  string
}

// maxHashes bounds the cache; the folder holds a handful of files.
const maxHashes = 64

// open opens the folder in such a way that no link leads out of it.
func (d *desktop) open() (*os.Root, error) {
	if d.folder == "" {
		return nil, fs.ErrNotExist
	}
	return os.OpenRoot(d.folder)
}

// newest finds the newest installer.
func newest(root *os.Root) (fs.FileInfo, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var found fs.FileInfo
	for _, e := range entries {
		info, err := root.Stat(e.Name())
		if err != nil || !info.Mode().IsRegular() || !tones.Plain(e.Name()) || installerTypes[strings.ToLower(path.Ext(e.Name()))] == "" {
			continue
		}
		if found == nil || info.ModTime().After(found.ModTime()) {
			found = info
		}
	}
	if found == nil {
		return nil, fs.ErrNotExist
	}
	return found, nil
}

// hash returns the SHA-256 of a file, in hex.
func (d *desktop) hash(root *os.Root, name string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fs.ErrNotExist
	}
	if known, ok := d.hashes[name]; ok && known.size == info.Size() && known.changed.Equal(info.ModTime()) {
		return known.sha256, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	if d.hashes == nil || len(d.hashes) >= maxHashes {
		d.hashes = map[string]hashed{}
	}
	text := hex.EncodeToString(sum.Sum(nil))
	d.hashes[name] = hashed{info.Size(), info.ModTime(), text}
	return text, nil
}

// installer serves the newest installer in the folder.
func (h *Handler) installer(w http.ResponseWriter, r *http.Request, _ caller) error {
	missing := door.Missing("GET /radio/dispatch/installer")
	root, err := h.desktop.open()
	if err != nil {
		return missing
	}
	defer func() { _ = root.Close() }()
	info, err := newest(root)
	if err != nil {
		return missing
	}
	hash, err := h.desktop.hash(root, info.Name())
	if err != nil {
		return missing
	}
	f, err := root.Open(info.Name())
	if err != nil {
		return missing
	}
	defer func() { _ = f.Close() }()
	w.Header().Set("Content-Type", installerTypes[strings.ToLower(path.Ext(info.Name()))])
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(info.Name())) // RFC 6266
	w.Header().Set("Cache-Control", "no-cache")                                                        // ask each time, by ETag
	serve(w, r, hash, info.ModTime(), f)
	return nil
}

// update serves the operator's manifest, with absolute addresses and with hashes
// filled in.
func (h *Handler) update(w http.ResponseWriter, r *http.Request, _ caller) error {
	missing := door.Missing("GET /radio/dispatch/update.json")
	root, err := h.desktop.open()
	if err != nil {
		return missing
	}
	defer func() { _ = root.Close() }()
	data, changed, err := readFile(root.FS(), manifestName, maxManifest)
	if err != nil {
		return missing
	}
	manifest, err := readManifest(data)
	if err != nil {
		h.o.Logf("rest: %s of the desktop app: %v", manifestName, err)
		return notFound("The update manifest is not usable: " + err.Error())
	}
	h.complete(&manifest, root, h.base(r))
	out, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	serve(w, r, hashOf(out), changed, bytes.NewReader(out))
	return nil
}

// readManifest checks what the updater needs: without a version or a signature it
// would fail on every desktop.
func readManifest(data []byte) (wire.UpdateManifest, error) {
	var m wire.UpdateManifest
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &m); err != nil {
		return m, errors.New("it is not valid JSON, or a field has the wrong type")
	}
	if m.Version == "" || len(m.Platforms) == 0 {
		return m, errors.New("version or platforms is missing")
	}
	for target, p := range m.Platforms {
		if p.Signature == "" {
			return m, errors.New("platforms." + target + ".signature is missing")
		}
	}
	return m, nil
}

// complete fills in what the operator may leave out: the address of our own
// installer, and the hashes of files that are in the folder.
func (h *Handler) complete(m *wire.UpdateManifest, root *os.Root, base string) {
	var own string // the installer's file name
	if info, err := newest(root); err == nil {
		own = info.Name()
		if hash, err := h.desktop.hash(root, own); err == nil {
			m.SHA256 = hash
		}
	}
	for target, p := range m.Platforms {
		if p.URL == "" {
			p.URL = installerPath
		}
		if strings.HasPrefix(p.URL, "/") {
			p.URL = base + p.URL
		}
		file := path.Base(p.URL)
		if strings.HasSuffix(p.URL, installerPath) {
			file = own
		}
		if tones.Plain(file) {
			if hash, err := h.desktop.hash(root, file); err == nil {
				p.SHA256 = hash
			}
		}
		m.Platforms[target] = p
	}
}
