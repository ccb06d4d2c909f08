package cli

import (
	"strings"
	"testing"
)

// TestRepeated: who renders or plans two claims of one name hears of it once, and sees both.
func TestRepeated(t *testing.T) {
	const (
		said   = "warning: Machine dns01 ("
		second = "b.yaml:1: warning: Machine dns01 (a.yaml:1) has the same name and namespace: the cluster keeps one of them, and here both are shown\n"
	)

	other := strings.Replace(rightClaim, "name: dns01", "name: dns02", 1)

	cases := map[string]struct {
		reason string
		files  map[string]string
		args   []string
		want   string
	}{
		"Files":     {reason: "Somebody copied a file.", files: map[string]string{"a.yaml": rightClaim, "b.yaml": rightClaim}, args: []string{"render", "-f", "."}, want: second},
		"Plan":      {reason: "A plan shows both, too.", files: map[string]string{"a.yaml": rightClaim, "b.yaml": rightClaim}, args: []string{"plan", "-f", ".", "--observed", "none"}, want: second},
		"Named":     {reason: "Each file was named.", files: map[string]string{"a.yaml": rightClaim, "b.yaml": rightClaim}, args: []string{"render", "-f", "a.yaml", "-f", "b.yaml"}, want: second},
		"Documents": {reason: "Or a document.", files: map[string]string{"a.yaml": rightClaim + "---\n" + rightClaim + "  power: Stopped\n"}, args: []string{"render", "-f", "a.yaml"}, want: said},
		"Folders":   {reason: "Two clusters may have one of a name.", files: map[string]string{"x/a.yaml": rightClaim, "y/a.yaml": rightClaim}, args: []string{"render", "-f", "."}},
		"Names":     {reason: "They are two.", files: map[string]string{"a.yaml": rightClaim, "b.yaml": other}, args: []string{"render", "-f", "."}},
		"Twice":     {reason: "A file that is named with its folder is one file.", files: map[string]string{"a.yaml": rightClaim}, args: []string{"render", "-f", ".", "-f", "a.yaml"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.files["catalogue.yaml"] = lintedCatalogue
			lintFiles(t, tc.files)

			code, out, err := runAt(t, "", tc.args...)
			if code != 0 || !strings.Contains(err, tc.want) || strings.Count(err, said) != strings.Count(tc.want, said) {
				t.Errorf("%s: want %q, got %d and %q\n%s", tc.reason, tc.want, code, err, out)
			}
		})
	}
}
