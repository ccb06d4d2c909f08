package tenancy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityIsHeld: each row of SECURITY.md on what has access to what names a test that there is.
func TestSecurityIsHeld(t *testing.T) {
	const root = "../.."

	b, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}

	_, chapter, _ := strings.Cut(string(b), "\n## What has access to what\n")
	test := regexp.MustCompile("`([^`]+_test\\.go)`\\s+`(Test\\w+)`")
	held := 0

	for row := range strings.SplitSeq(chapter, "\n* ") {
		if strings.TrimSpace(row) == "" {
			continue
		}

		held++

		tests := test.FindAllStringSubmatch(row, -1)
		if len(tests) == 0 {
			t.Errorf("no test holds this row of SECURITY.md: %s", row)
		}

		for _, m := range tests {
			source, err := os.ReadFile(filepath.Join(root, m[1]))
			if err != nil || !strings.Contains(string(source), "\nfunc "+m[2]+"(t *testing.T)") {
				t.Errorf("%s has no test %s: %v", m[1], m[2], err)
			}
		}
	}

	if held < 9 {
		t.Errorf("only %d rows were read", held)
	}
}
