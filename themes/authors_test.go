package themes

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestAuthorsAreToldTheLimits: the page for authors has the numbers that are enforced.
func TestAuthorsAreToldTheLimits(t *testing.T) {
	b, err := os.ReadFile("AUTHORS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		fmt.Sprintf("| name and author | %d characters |", maxName),
		fmt.Sprintf("| version | %d characters |", maxVersion),
		fmt.Sprintf("| description | %d characters |", maxAbout),
		fmt.Sprintf("| files and folders of a theme | %d, %d MB unpacked, no links |", MaxEntries, MaxBytes>>20),
		fmt.Sprintf("| the stylesheet, the script | %d MB each |", maxText>>20),
		fmt.Sprintf(", %d bytes with their folders |", maxPath),
		"| types of files | " + kindNames() + " |",
	} {
		if !strings.Contains(string(b), row) {
			t.Errorf("AUTHORS.md does not say %q", row)
		}
	}
}
