package main

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"path/filepath"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// packContainer writes the folder that container tools build an image from: the programs
// of all processors, certificates and the Containerfile.
func (r *release) packContainer(chosen []target) error {
	files := []file{
		r.own("Containerfile", "Containerfile"), r.own("passwd", "passwd"), r.own("group", "group"),
		{name: "folders/data", dir: true},
		{name: "config.lua", path: filepath.Join(r.source, "server/config/default.lua")},
	}
	var notices []byte
	for _, t := range chosen {
		if t.os != "linux" {
			continue
		}
		parts, err := r.parts(t)
		if err != nil {
			return err
		}
		if notices, err = r.notices(parts); err != nil {
			return err
		}
		files = append(files, file{name: t.arch + "/squelch", path: r.programs[t], exec: true})
	}
	files = append(files, file{name: "ca-certificates.crt", text: certificates()})
	files = append(files, file{name: "LICENSE", path: filepath.Join(r.source, "LICENSE")}, file{name: "THIRD-PARTY-LICENSES", text: notices})
	folder := fmt.Sprintf("squelch_%s_container", r.version)
	return r.write(filepath.Join(r.out, folder+".tar.gz"), func(w io.Writer) error { return writeTar(w, folder, files, r.time) })
}

// certificates are Mozilla's roots, those for which Go has no further condition.
func certificates() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return text.Bytes()
}
