package themes

import _ "github.com/tdewolff/parse/v2/css" // the next step
