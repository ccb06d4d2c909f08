package world

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestResourceVersion: a Node has another one after each write, none is had twice under its name, and nobody writes what is there already.
func TestResourceVersion(t *testing.T) {
	node := func() map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "n"},
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}, "nodeInfo": map[string]any{"kubeletVersion": "v1.33.6+k3s1"}},
		}
	}

	for name, tc := range map[string]struct {
		reason string
		write  func(c *Cluster)
		want   string
	}{
		"Registered":    {"A Node that nobody has read.", func(*Cluster) {}, "1"},
		"Again":         {"A kubelet that starts again has nothing to say.", func(c *Cluster) { c.AddNode("n", node()) }, "1"},
		"Cordoned":      {"It is a write.", func(c *Cluster) { c.Cordon("n", true) }, "2"},
		"CordonedTwice": {"kubectl says that it is cordoned already.", func(c *Cluster) { c.Cordon("n", true); c.Cordon("n", true) }, "2"},
		"Uncordoned":    {"It is as it was, and was written twice.", func(c *Cluster) { c.Cordon("n", true); c.Cordon("n", false) }, "3"},
		"Condition":     {"Reports of its health are not counted.", func(c *Cluster) { c.SetNode("n", "Ready", "Unknown", "NodeStatusUnknown") }, "1"},
		"Release":       {"It is a write.", func(c *Cluster) { c.SetRelease("n", "v1.34.1+k3s1") }, "2"},
		"Deleted":       {"Another Node of its name.", func(c *Cluster) { c.DeleteNode("n"); c.AddNode("n", node()) }, "2"},
		"Loaded": {"One that was read in a cluster keeps its own.", func(c *Cluster) {
			n := node()
			Object(n["metadata"])["resourceVersion"] = "4711"
			c.AddNode("n", n)
		}, "4711"},
		"LoadedAndCordoned": {"It is counted on from there.", func(c *Cluster) {
			n := node()
			Object(n["metadata"])["resourceVersion"] = "4711"
			c.AddNode("n", n)
			c.Cordon("n", true)
		}, "4712"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Cluster{T: t}
			c.AddNode("n", node())
			tc.write(c)

			if diff := cmp.Diff(tc.want, fmt.Sprint(Object(c.Nodes["n"]["metadata"])["resourceVersion"])); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
