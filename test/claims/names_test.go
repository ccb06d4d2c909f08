package claims

import (
	"strings"
	"testing"
)

// TestNamesOfClusters: a claim with the longest name has a composite with a longer one, which the API server has to take, too. What Crossplane
// generates has the part before the random suffix in metadata.generateName.
func TestNamesOfClusters(t *testing.T) {
	longest := strings.Repeat("a", 40)

	cases := map[string]struct {
		reason       string
		name, prefix string
		want         string
	}{
		"Claim":            {reason: "The longest name of a claim.", name: longest},
		"Composite":        {reason: "The composite of such a claim.", name: longest + "-x7k2p", prefix: longest + "-"},
		"TooLong":          {reason: "The names of the nodes begin with it.", name: longest + "a", want: "at most 40 characters"},
		"NotGenerated":     {reason: "Nobody generated the name.", name: longest + "-x7k2p", want: "at most 40 characters"},
		"OtherPrefix":      {reason: "The name was not generated of the prefix.", name: "b" + longest, prefix: "c-", want: "at most 40 characters"},
		"CompositeTooLong": {reason: "The composite of a claim that is too long.", name: longest + "a-x7k2p", prefix: longest + "a-", want: "at most 40 characters"},
	}

	for name, tc := range cases {
		for _, j := range loadJudges(t)["K3sCluster"] {
			t.Run(name+"/"+j.name, func(t *testing.T) {
				metadata := map[string]any{"name": tc.name, "namespace": "infra"}
				if tc.prefix != "" {
					metadata["generateName"] = tc.prefix
				}

				errs := j.refuse(map[string]any{
					"apiVersion": "homelab.io/v1alpha1", "kind": j.name, "metadata": metadata,
					"spec": map[string]any{"cluster": "home", "servers": map[string]any{"count": int64(3)}},
				})

				said := ""
				if len(errs) > 0 {
					said = errs.ToAggregate().Error()
				}

				if (said == "") != (tc.want == "") || !strings.Contains(said, tc.want) {
					t.Errorf("%s refused with %q, want %q", tc.reason, said, tc.want)
				}
			})
		}
	}
}
