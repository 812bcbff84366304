package themes

// Review is what a person must see before a theme is installed.
type Review struct {
	Manifest
	Build   string    `json:"build"`
	Files   []File    `json:"files"`
	Bytes   int       `json:"bytes"`
	Picture string    `json:"picture,omitempty"`
	Removed []Removal `json:"removed"`
	// HasJS tells that there is a script: it is installed only by somebody who names
	// ScriptSHA256.
	HasJS        bool   `json:"hasJs"`
	Script       string `json:"script,omitempty"`       // exactly the source
	ScriptSHA256 string `json:"scriptSha256,omitempty"` // of exactly these bytes
	Hints        []Hint `json:"hints"`
	// Replaces is what is installed under the same slug.
	Replaces *Replaced `json:"replaces,omitempty"`
	// Warnings say in plain sentences what no fence stops.
	Warnings []string `json:"warnings"`
}

// Replaced is a theme that would be replaced.
type Replaced struct {
	Name          string `json:"name"`
	Version       string `json:"version"`
	Author        string `json:"author"`
	Build         string `json:"build"`
	HasJS         bool   `json:"hasJs"`
	BuiltIn       bool   `json:"builtIn"`       // it cannot be replaced: the slug is taken
	Same          bool   `json:"same"`          // nothing would change
	ScriptChanged bool   `json:"scriptChanged"` // the script is not the one that was reviewed then
}

// Hint points at a line of a script that is worth a look. It is no finding: a line
// without a hint can do harm too.
type Hint struct {
	Line int    `json:"line"`
	What string `json:"what"`
	Why  string `json:"why"`
}

// Review shows what installing p would do; installed is what has its slug now, nil:
// nothing.
func (p *Package) Review(installed *Installed) Review {
	r := Review{
		Manifest: p.Manifest, Build: p.Build(), Files: filesOf(p.Files), Picture: p.Picture,
		Removed: append([]Removal{}, p.Removed...), HasJS: p.Script != nil, Script: string(p.Script),
		ScriptSHA256: p.ScriptSHA256(), Hints: hintsOf(p.Script), Warnings: p.warnings(),
	}
	for _, f := range r.Files {
		r.Bytes += f.Bytes
	}
	if i := installed; i != nil {
		r.Replaces = &Replaced{Name: i.Name, Version: i.Version, Author: i.Author, Build: i.Build, HasJS: i.HasJS,
			BuiltIn: i.BuiltIn, Same: i.Build == r.Build, ScriptChanged: i.ScriptSHA256 != r.ScriptSHA256}
	}
	return r
}

func (p *Package) warnings() []string {
	return []string{}
}

func hintsOf(script []byte) []Hint { return []Hint{} }
