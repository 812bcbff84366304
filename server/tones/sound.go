package tones

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

const (
	// MaxSound is the largest sound file that is served, in bytes.
	MaxSound = 16 << 20
	// maxName is the longest name of a file, in bytes, on common file systems.
	maxName = 255
)

// soundTypes are the files that count as tones. The operating system's table of types
// is not used, so that every host answers the same.
var soundTypes = map[string]string{
	".wav":  "audio/wav",
	".ogg":  "audio/ogg",
	".opus": "audio/ogg",
	".mp3":  "audio/mpeg",
	".m4a":  "audio/mp4",
	".aac":  "audio/aac",
	".flac": "audio/flac",
	".webm": "audio/webm",
}

// Sound is an open sound file.
type Sound struct {
	Type    string // "audio/wav"
	Size    int64  // bytes
	Changed time.Time
	file    fs.File
}

// Open finds a sound file by its plain name in the first folder that has it. The error
// is fs.ErrNotExist for whatever is no sound file. The Sound has to be closed.
func Open(folders []fs.FS, name string) (*Sound, error) {
	kind := soundTypes[strings.ToLower(path.Ext(name))]
	if kind == "" || !Plain(name) {
		return nil, fs.ErrNotExist
	}
	for _, folder := range folders {
		f, err := folder.Open(name)
		if err != nil {
			continue
		}
		info, err := f.Stat()
		if err == nil && info.Mode().IsRegular() && info.Size() <= MaxSound {
			return &Sound{Type: kind, Size: info.Size(), Changed: info.ModTime(), file: f}, nil
		}
		_ = f.Close() // it was not even read
	}
	return nil, fs.ErrNotExist
}

// Plain says whether name is that of a visible file in the folder itself.
func Plain(name string) bool {
	return fs.ValidPath(name) && !strings.ContainsAny(name, "/\\:\x00") && !strings.HasPrefix(name, ".") && len(name) <= maxName
}

// Read reads at most n bytes from offset on; fewer at the end of the file.
func (s *Sound) Read(offset, n int64) ([]byte, error) {
	if offset >= s.Size {
		return []byte{}, nil
	}
	var err error
	if seeker, can := s.file.(io.Seeker); can {
		_, err = seeker.Seek(offset, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, s.file, offset)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(s.file, min(n, s.Size-offset)))
}

// Close closes the file.
func (s *Sound) Close() { _ = s.file.Close() } // it was only read
