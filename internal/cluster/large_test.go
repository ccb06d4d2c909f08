package cluster

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

func TestCheckSize(t *testing.T) {
	config := func(n int) v1alpha1.NodeTemplate {
		keys := map[string]any{}
		for i := range n {
			keys["key-"+strconv.Itoa(i)] = []any{"value"}
		}

		return v1alpha1.NodeTemplate{"k3s": map[string]any{"config": keys}}
	}

	cases := map[string]struct {
		reason          string
		servers, agents v1alpha1.NodeTemplate
		want            []string
	}{
		"None":    {reason: "A pool needs no template."},
		"Large":   {reason: "More keys than K3s has.", servers: config(500), agents: config(500)},
		"Servers": {reason: "Each key is looked up for each node.", servers: config(20_000), want: []string{"spec.servers.template: Invalid value: has 40003 values and must have at most 2000"}},
		"Agents":  {reason: "A list counts with its items.", agents: config(1000), want: []string{"spec.agents[0].template: Invalid value: has 2003 values and must have at most 2000"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var spec v1alpha1.K3sClusterSpec
			spec.Servers.Template = tc.servers
			spec.Agents = []v1alpha1.AgentPool{{NodePool: v1alpha1.NodePool{Template: tc.agents}, Name: "worker"}}

			if diff := cmp.Diff(tc.want, texts(CheckSize(spec))); diff != "" {
				t.Errorf("%s\nCheckSize(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
