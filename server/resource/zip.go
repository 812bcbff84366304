package resource

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"
)

// ErrUnbuilt means that the program was built without the page that players see.
var ErrUnbuilt = errors.New("the radio's page is not part of this build: run 'just panel', then build the service again")

// radioPath is the path of a service's address: none, or that of a radio of a host with
// several.
var radioPath = regexp.MustCompile(`^(/r/[a-z0-9-]{1,31})?/*$`)

// ErrAddress means that the address is none that a game server could call.
var ErrAddress = errors.New("the service's address must be http:// or https:// and a host, or with the path /r/NAME of a radio")

// types tells editors what each export takes and returns. It is for the people who
// write scripts; the manifest does not list it.
//
//go:embed types/radio.lua
var types []byte

// root is the folder in the zip, and with it the resource's name: players who have
// allowed the microphone are asked again when it changes.
const root = "radio"

const (
	page        = "nui/index.html"
	addressFile = "server/address.lua"
	noAddress   = "Radio.address = ''"
)

// made is when every file of the zip was changed: the earliest time that a zip can
// have, so that the same files give the same bytes.
var made = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Zip is the folder for a game server, with the service's own address in it: http or
// https and a host, and of paths only that of a radio. With "" the operator sets the convar radio_url. It fails
// with ErrAddress, and with ErrUnbuilt if the page was not built.
func Zip(address string) ([]byte, error) {
	folder, err := fs.Sub(Files, root)
	if err != nil {
		return nil, err
	}
	return pack(folder, address)
}

// pack makes the zip of a folder. The same folder and address give the same bytes.
func pack(folder fs.FS, address string) ([]byte, error) {
	if err := checkAddress(address); err != nil {
		return nil, err
	}
	if _, err := fs.Stat(folder, page); err != nil {
		return nil, ErrUnbuilt
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name string, data []byte) error {
		f, err := w.CreateHeader(&zip.FileHeader{Name: path.Join(root, name), Method: zip.Deflate, Modified: made})
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return err
	}
	// WalkDir goes through the names in their order.
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		if name == addressFile {
			if data, err = addressed(data, address); err != nil {
				return err
			}
		}
		return add(name, data)
	})
	if err == nil {
		err = add("types/radio.lua", types)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("the resource: %w", err)
	}
	return out.Bytes(), nil
}

// checkAddress lets nothing into a Lua string that could end it: an address may have
// come from a request.
func checkAddress(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" || !radioPath.MatchString(u.Path) {
		return fmt.Errorf("%w, not %q", ErrAddress, address)
	}
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`'"\`, r) }) {
		return fmt.Errorf("%w in plain ASCII without quotation marks, not %q", ErrAddress, address)
	}
	return nil
}

func addressed(source []byte, address string) ([]byte, error) {
	if bytes.Count(source, []byte(noAddress)) != 1 {
		return nil, fmt.Errorf("%s does not have the line %q", addressFile, noAddress)
	}
	line := "Radio.address = '" + strings.TrimRight(address, "/") + "'"
	return bytes.Replace(source, []byte(noAddress), []byte(line), 1), nil
}
