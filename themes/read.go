package themes

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Wrong is a theme that cannot be read: what is wrong, and in which file of it.
type Wrong struct {
	Entry string // as the folder or zip names it, "": the theme as a whole
	Why   string
}

func (w *Wrong) Error() string {
	if w.Entry == "" {
		return "the theme " + w.Why
	}
	return shown(w.Entry) + ": " + w.Why
}

func wrong(entry, format string, args ...any) error {
	return &Wrong{Entry: entry, Why: fmt.Sprintf(format, args...)}
}

// shown is a name of an entry on one line, whatever is in it.
func shown(name string) string {
	const most = 80
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		name = strings.Trim(fmt.Sprintf("%+q", name), `"`)
	}
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}

// collector gathers the files of a theme while they are read, within all limits.
type collector struct {
	files   map[string][]byte
	bytes   int
	entries int
	names   map[string]string // folded name of each file and folder: its name
	folders map[string]bool   // which of them are folders
}

func newCollector() *collector {
	return &collector{files: map[string][]byte{}, names: map[string]string{}, folders: map[string]bool{}}
}

// entry counts an entry before anything of it is read.
func (c *collector) entry() error {
	if c.entries++; c.entries > MaxEntries {
		return wrong("", "has more than %d files and folders, which is the limit", MaxEntries)
	}
	return nil
}

// left is how many bytes may still come.
func (c *collector) left() int { return MaxBytes - c.bytes }

// add takes a file whose name is not trusted yet. It keeps data.
func (c *collector) add(name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if _, ok := kindOf(name); !ok {
		return wrong(name, "is not a type of file that a theme can have; those are %s", kindNames())
	}
	if err := c.claim(name, false); err != nil {
		return err
	}
	if c.bytes += len(data); c.bytes > MaxBytes {
		return tooLarge(name)
	}
	c.files[name] = data
	return nil
}

func tooLarge(name string) error {
	return wrong(name, "with it the theme has more than %d bytes (5 MB) unpacked, which is the limit", MaxBytes)
}

// folder takes a folder's name, which is not trusted yet.
func (c *collector) folder(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return c.claim(name, true)
}

// claim makes sure that a name and the folders above it are one each, also where
// capital and small letters are the same.
func (c *collector) claim(name string, folder bool) error {
	if dir := path.Dir(name); dir != "." {
		if err := c.claim(dir, true); err != nil {
			return err
		}
	}
	fold := strings.ToLower(name)
	was, taken := c.names[fold]
	switch {
	case !taken:
		c.names[fold], c.folders[fold] = name, folder
		return nil
	case was != name:
		return wrong(name, "differs from %s only in capital and small letters; rename one of them", was)
	case folder != c.folders[fold]:
		return wrong(name, "is a file and a folder at once")
	case !folder:
		return wrong(name, "is there twice")
	}
	return nil
}

// passedOver tells whether a file or folder is no part of the theme that it lies in, but
// of its author's work: names that begin with a dot, type declarations (.d.ts), and what
// the Mac's Finder and the Explorer of Windows add. A name that leads elsewhere is not
// passed over but refused.
func passedOver(name string) bool {
	if strings.HasPrefix(name, "/") || strings.Contains(name, `\`) {
		return false
	}
	over := strings.HasSuffix(name, ".d.ts")
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return false
		case part[0] == '.' || part == "__MACOSX" || strings.EqualFold(part, "Thumbs.db") || strings.EqualFold(part, "desktop.ini"):
			over = true
		}
	}
	return over
}

// reserved names are devices on Windows, also with something after a dot.
var reserved = []string{"con", "prn", "aux", "nul", "conin$", "conout$", "clock$",
	"com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9"}

// checkName accepts the names that mean the same on every system and in every URL:
// ASCII letters, digits, "-", "_", "@", "+" and ".", with "/" between folders.
func checkName(name string) error {
	switch {
	case name == "":
		return wrong("", "has a file without a name")
	case len(name) > maxPath:
		return wrong(name, "the name has %d bytes; the limit is %d", len(name), maxPath)
	case strings.Contains(name, `\`):
		return wrong(name, `has a "\" in its name; folders are divided by "/"`)
	case strings.HasPrefix(name, "/"):
		return wrong(name, "is an absolute path; a theme has only files of its own folder")
	case len(name) > 1 && name[1] == ':':
		return wrong(name, "names a drive; a theme has only files of its own folder")
	case strings.Count(name, "/") > maxDepth:
		return wrong(name, "is in more than %d folders within each other; the limit is %d", maxDepth, maxDepth)
	}
	for part := range strings.SplitSeq(name, "/") {
		stem, _, _ := strings.Cut(strings.ToLower(part), ".")
		switch {
		case part == "..":
			return wrong(name, `has ".." in its name; a theme has only files of its own folder`)
		case part == "":
			return wrong(name, "has an empty part in its name")
		case part[0] == '.' || part[0] == '_':
			return wrong(name, `begins with %q; names that begin with "." or "_" are reserved`, part[:1])
		case strings.HasSuffix(part, "."):
			return wrong(name, "ends in a dot")
		case slices.Contains(reserved, stem):
			return wrong(name, "%q is the name of a device on Windows", stem)
		}
		if i := strings.IndexFunc(part, func(r rune) bool { return !nameLetter(r) }); i >= 0 {
			return wrong(name, `has %+q in its name; use a-z, A-Z, 0-9, "-", "_", "@", "+" and "."`, []rune(part[i:])[0])
		}
	}
	return nil
}

func nameLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_@+.", r)
}

// finish makes a theme of the files: it takes a single folder around everything away,
// reads the manifest, checks each file's type, and cleans the stylesheets.
func (c *collector) finish() (*Package, error) {
	files := c.files
	if files[ManifestFile] == nil {
		if inner := unwrapped(files); inner != nil {
			files = inner
		}
	}
	data := files[ManifestFile]
	if data == nil {
		for name := range files {
			if strings.EqualFold(path.Base(name), ManifestFile) {
				return nil, wrong(name, "must be called %s and lie at the top of the theme", ManifestFile)
			}
		}
		return nil, wrong("", "has no %s at its top", ManifestFile)
	}
	m, err := readManifest(data)
	if err != nil {
		return nil, err
	}
	p := &Package{Manifest: m, Files: map[string][]byte{}}
	names := sortedNames(files)
	if files[m.CSS] == nil {
		return nil, wrong(ManifestFile, "css names %s, which is not there%s", m.CSS, near(m.CSS, names))
	}
	if m.JS != "" && files[m.JS] == nil {
		return nil, wrong(ManifestFile, "js names %s, which is not there%s", m.JS, near(m.JS, names))
	}
	for _, name := range names {
		if isScript(name) && name != m.JS && name != TestFile {
			if m.JS == "" {
				return nil, wrong(name, "is a script, and %s names none; a theme has at most one, named by js", ManifestFile)
			}
			return nil, wrong(name, "is a second script; a theme has at most one, which is %s", m.JS)
		}
		k, _ := kindOf(name)
		if k.check != nil {
			if err := k.check(files[name]); err != nil {
				return nil, wrong(name, "%s", err)
			}
		}
	}
	guesses := maxGuesses
	for _, name := range names {
		data := files[name]
		switch {
		case name == TestFile:
			p.Test = data
			continue
		case name == m.JS:
			p.Script = data
		case path.Ext(name) == ".css":
			if len(data) > maxText {
				return nil, wrong(name, "has %d bytes; the limit for a stylesheet is %d", len(data), maxText)
			}
			clean, removed := sanitiseFile(name, data, names, &guesses)
			p.Removed = append(p.Removed, removed...)
			data = clean
		}
		p.Files[name] = data
	}
	p.Picture = pictureOf(p.Files)
	return p, nil
}

// unwrapped is the files without the one folder that is around all of them, nil if
// there is no such folder.
func unwrapped(files map[string][]byte) map[string][]byte {
	root := ""
	for name := range files {
		dir, _, nested := strings.Cut(name, "/")
		if !nested || root != "" && dir != root {
			return nil
		}
		root = dir
	}
	inner := map[string][]byte{}
	for name, data := range files {
		inner[strings.TrimPrefix(name, root+"/")] = data
	}
	return inner
}

// readFS reads a theme that is part of this program.
func readFS(folder fs.FS) (*Package, error) {
	c := newCollector()
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if err := c.entry(); err != nil {
			return err
		}
		if d.IsDir() {
			return c.folder(name)
		}
		data, err := fs.ReadFile(folder, name)
		return errors.Join(err, c.add(name, data))
	})
	if err != nil {
		return nil, err
	}
	return c.finish()
}
