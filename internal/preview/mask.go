package preview

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// masked stands for what is not shown.
const masked = "(not shown: --show-secrets)"

// tokenOfCluster is a full K3s token, wherever it stands.
var tokenOfCluster = regexp.MustCompile(`K10[0-9a-fA-F]{64}::[^\s"'\\]+`)

// minMasked is the length of the shortest line of a Secret that is masked: shorter ones, such as a brace, are no secret and stand everywhere.
const minMasked = 6

// Mask what is rendered of a machine that lives: the content of its Secrets, line by line, and every token of a K3s cluster. What
// the provider was given for it holds them in plain text.
func (r *Rendered) Mask(secrets []unstructured.Unstructured) {
	var lines []string

	for _, s := range secrets {
		if s.GetKind() != "Secret" {
			continue
		}

		for _, content := range contentsOf(s) {
			for line := range strings.Lines(content) {
				if line = strings.TrimSpace(line); len(line) >= minMasked && !strings.HasPrefix(line, dummy) {
					lines = append(lines, line)
				}
			}
		}
	}

	// The longest first: one may be a part of another.
	slices.SortFunc(lines, func(a, b string) int { return len(b) - len(a) })

	hide := func(text string) string {
		for _, line := range lines {
			text = strings.ReplaceAll(text, line, masked)
		}

		return tokenOfCluster.ReplaceAllStringFunc(text, func(token string) string {
			if strings.HasPrefix(token, noClusterHash) {
				return token
			}

			return masked
		})
	}

	for i := range r.Nodes {
		r.Nodes[i].Mask(secrets)
	}

	r.Turn.Composite.Object, _ = mapStrings(r.Turn.Composite.Object, hide).(map[string]any)
	for i := range r.Turn.Composed {
		r.Turn.Composed[i].Object, _ = mapStrings(r.Turn.Composed[i].Object, hide).(map[string]any)
	}
}

// mapStrings is a value with each of its strings changed.
func mapStrings(value any, f func(string) string) any {
	switch value := value.(type) {
	case string:
		return f(value)
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = mapStrings(v, f)
		}

		return out
	case map[string]any:
		out := make(map[string]any, len(value))
		for k, v := range value {
			out[k] = mapStrings(v, f)
		}

		return out
	}

	return value
}
