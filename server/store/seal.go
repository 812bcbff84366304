package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"squelch/server/filelock"
)

// The seal is written by a clean stop and removed by the next start. While it
// is there, every bit under store/ must be as it was left; without it (after a
// kill) only the records themselves can be checked.
const sealName = "seal.json"

type seal struct {
	Format int               `json:"format"`
	ID     string            `json:"id"`
	Files  map[string]string `json:"files"` // slash path under store/ → SHA-256, hex
}

// hashFiles hashes every file under folder except the seal and remains of
// interrupted writes.
func hashFiles(folder string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return damaged(path, "cannot be read: %v", err)
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if entry.IsDir() || name == sealName || strings.HasSuffix(name, ".tmp") {
			return nil
		}
		sum, err := hashFile(path)
		if err != nil {
			return damaged(path, "cannot be read: %v", err)
		}
		files[filepath.ToSlash(name)] = sum
		return nil
	})
	return files, err
}

func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func writeSeal(folder, id string) error {
	files, err := hashFiles(folder)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(seal{Format: formatVersion, ID: id, Files: files}, "", "  ")
	if err != nil {
		return err
	}
	return writeFileDurably(filepath.Join(folder, sealName), signSeal(data))
}

// signSeal adds a last line with the SHA-256 of what is before it.
func signSeal(data []byte) []byte {
	data = bytes.Clone(data)
	return fmt.Appendf(data, "\n%x\n", sha256.Sum256(data))
}

// checkSeal compares the folder with its seal. A folder without one (the process was
// killed) is no error; clean says whether there was one.
func checkSeal(folder, id string) (clean bool, err error) {
	path := filepath.Join(folder, sealName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, damaged(path, "cannot be read: %v", err)
	}
	var sealed seal
	body := data[:max(0, len(data)-2*sha256.Size-2)]
	if !bytes.Equal(data, signSeal(body)) || json.Unmarshal(body, &sealed) != nil || sealed.ID != id {
		return false, damaged(path, "is garbled or does not belong to the %s of this folder", markerName)
	}
	found, err := hashFiles(folder)
	if err != nil {
		return false, err
	}
	for _, name := range sortedKeys(sealed.Files) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		switch sum, ok := found[name]; {
		case !ok:
			return false, damaged(path, "is missing")
		case sum != sealed.Files[name]:
			return false, damaged(path, "was changed while the server was stopped")
		}
	}
	for _, name := range sortedKeys(found) {
		if _, ok := sealed.Files[name]; !ok {
			return false, damaged(filepath.Join(folder, filepath.FromSlash(name)), "appeared while the server was stopped; remove it")
		}
	}
	return true, nil
}

func breakSeal(folder string) error {
	err := os.Remove(filepath.Join(folder, sealName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return filelock.SyncFolder(folder)
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
