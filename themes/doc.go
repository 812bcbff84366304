// Package themes reads, checks, keeps and serves the themes of the console.
//
// A theme is a folder or a zip with a manifest (theme.json), a stylesheet, pictures,
// fonts, sounds, and at most one script. What comes in is hostile until proven
// otherwise: names, sizes and types are checked against lists of what is allowed, the
// stylesheets lose all that reaches out of the theme, and a script is installed only by
// somebody who names the SHA-256 of exactly the source that the review showed.
package themes

import "squelch/core/wire"

// Limits.
const (
	// MaxBytes is the size of a theme, unpacked.
	MaxBytes = 5 << 20
	// MaxZip is the size of a theme's zip: what does not shrink, and the names.
	MaxZip = wire.ThemeBytes
	// MaxEntries is how many files and folders a theme has.
	MaxEntries = 200
	// MaxInstalled is how many themes a radio has beside the built-in ones: a list for
	// people, and 500 MB of disk.
	MaxInstalled = 100
	// MaxMarket is the size of a marketplace's index, some 1,000 bytes for each theme.
	MaxMarket = 1 << 20
	// MaxOffers is how many themes a marketplace's index has.
	MaxOffers = 1000

	maxText     = 1 << 20  // bytes of a stylesheet or script: people review them
	maxManifest = 16 << 10 // bytes of theme.json
	maxPath     = 120      // bytes of a file's name with its folders: Windows has 260 for all
	maxDepth    = 8        // folders in folders
	maxName     = 60       // characters of a theme's name, and of its author
	maxVersion  = 20       // characters
	maxAbout    = 300      // characters of a description
	maxNesting  = 32       // blocks and brackets within each other in a stylesheet
	maxRemoved  = 200      // removals that are listed for a stylesheet; more are counted
	maxGuesses  = 20       // suggestions in the stylesheets of a theme; each costs time
	maxHints    = 100      // hints at lines of a script
	maxIndex    = 4 << 20  // bytes of the index of a radio's themes
	lockSeconds = 10       // how long a change waits for another process
)
