package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bill writes the bill of materials of a target's program, CycloneDX 1.6 as JSON, and
// returns it.
func (r *release) bill(t target, parts []part) ([]byte, error) {
	program, err := os.ReadFile(r.programs[t])
	if err != nil {
		return nil, err
	}
	bom := cdx.NewBOM()
	self := cdx.Component{
		Type: cdx.ComponentTypeApplication, Name: "squelch", Version: r.version,
		BOMRef: "squelch", PackageURL: fmt.Sprintf("pkg:generic/squelch@%s?os=%s&arch=%s", strings.ReplaceAll(r.version, "+", "%2B"), t.os, t.arch),
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}},
		Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: fmt.Sprintf("%x", sha256.Sum256(program))}},
	}
	bom.Metadata = &cdx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &self}
	var components []cdx.Component
	var refs []string
	for _, p := range parts {
		c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: p.name, Version: p.version, BOMRef: p.purl(), PackageURL: p.purl(), Scope: cdx.ScopeRequired}
		if p.npm {
			if at := strings.LastIndex(p.name, "/"); at > 0 {
				c.Group, c.Name = p.name[:at], p.name[at+1:]
			}
			hash, err := integrity(p.sum)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			c.Hashes = &[]cdx.Hash{hash}
		} else if p.sum != "" { // of a folder's files, so it is no hash in the sense of CycloneDX
			c.Properties = &[]cdx.Property{{Name: "squelch:go.sum", Value: p.sum}}
		}
		components, refs = append(components, c), append(refs, c.BOMRef)
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: self.BOMRef, Dependencies: &refs}}
	var text bytes.Buffer
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return nil, err
	}
	return text.Bytes(), r.write(r.name(t, ".sbom.cdx.json"), func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
}

// integrity reads npm's form of a hash.
func integrity(text string) (cdx.Hash, error) {
	encoded, ok := strings.CutPrefix(text, "sha512-")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil {
		return cdx.Hash{}, fmt.Errorf("the lock file has no SHA-512 (%q)", text)
	}
	return cdx.Hash{Algorithm: cdx.HashAlgoSHA512, Value: hex.EncodeToString(sum)}, nil
}
