package cluster

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestGrowsFirst: from one server to three, nothing that an edit asks of the first one begins while there are two, which have no majority without it: the third
// would wait for the first, and the first for the third.
func TestGrowsFirst(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		need   func(c *Child)
	}{
		"Replacement": {reason: "It needs a new VM.", need: func(c *Child) { c.Turn, c.Need = TurnMayReplace, NeedNewVM }},
		"Restart":     {reason: "Its change waits for a power cycle.", need: func(c *Child) { c.Restart = RestartPending }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, claimed(1, 0))
			s.spec.Rollout.RebootPolicy = v1alpha1.RebootWhenNeeded
			s.complete(40)

			s.spec.Servers.Count = new(int64(3))

			for range 40 {
				if c := s.site.nodes["server-1"]; c != nil && c.child.serves() {
					break
				}

				s.call()
			}

			tc.need(&s.site.nodes["server-0"].child)

			p := Decide(s.world())
			if p.Turn == nil || p.Turn.Node != "server-2" || p.Turn.Action != ActionCreate {
				t.Errorf("%s\nwant server-2 created, got %+v: %s", tc.reason, p.Turn, p.Message)
			}
		})
	}
}

// TestTheNextServerWaitsForTheOneBefore where that one is to have the address of the only server, whose VM keeps it.
func TestTheNextServerWaitsForTheOneBefore(t *testing.T) {
	c := claimed(1, 0)
	c.Nodes = []v1alpha1.ClusterNode{{Name: "server-0", IP: "192.168.4.61"}}
	s := newStory(t, c)
	s.complete(40)

	s.spec.Servers.Count = new(int64(3))
	s.spec.Nodes = []v1alpha1.ClusterNode{{Name: "server-0", IP: "192.168.4.62"}, {Name: "server-1", IP: "192.168.4.61"}, {Name: "server-2", IP: "192.168.4.63"}}

	for range 20 {
		s.call()
	}

	if s.site.nodes["server-2"] != nil {
		t.Fatalf("server-2 was created before server-1: %v", s.log)
	}

	const want = "server-1 is to have 192.168.4.61, which the VM of server-0 keeps, as the only server of the cluster: give server-1 another value"
	if p := Decide(s.world()); !strings.Contains(p.Message, want) {
		t.Errorf("%s: %s", p.State, p.Message)
	}

	s.spec.Nodes[1].IP = "192.168.4.64"
	s.complete(60)
}

// TestALostFounderOfARefusedEdit is replaced by what it was: that the claim's config is refused for it stays so when it begins to join others.
func TestALostFounderOfARefusedEdit(t *testing.T) {
	s := newStory(t, claimed(3, 0))
	s.complete(60)

	s.spec.Servers.Template = v1alpha1.NodeTemplate{"k3s": map[string]any{"config": map[string]any{"datastore-endpoint": "postgres://db"}}}
	s.setNode("server-0", func(n *v1alpha1.ClusterNode) { n.Lost, n.Lifecycle.Replace = true, "lost" })

	w := s.world()
	for _, m := range w.Members {
		w.Refusals.Refuse(m.Node, field.ErrorList{field.Forbidden(field.NewPath("spec", "servers", "template", "k3s", "config"), "the server was made with a member of etcd")})
	}

	k := group(Decide(w).Steps[0].Spec, "k3s")
	if config, has := k["config"]; has || k["init"] == true || k["server"] == nil {
		t.Errorf("want a server that joins with its own config, got %v with %v", k, config)
	}
}
