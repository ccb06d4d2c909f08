package cluster

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestOnlyServer: the endpoint of a cluster of one server may be that server's address, for a network without DNS. Of several servers, the
// first would ask itself whether the cluster exists; its K3sNode refuses that.
func TestOnlyServer(t *testing.T) {
	const own = "192.168.4.61"

	cases := map[string]struct {
		reason, endpoint string
		servers          int64
		asks             bool
	}{
		"Own":     {"There is nobody else to ask.", "https://" + own + ":6443", 1, false},
		"Name":    {"A name can be that of a server to come.", "https://k3s.home.arpa:6443", 1, true},
		"Another": {"A virtual IP.", "https://192.168.4.60:6443", 1, true},
		"Three":   {"Its own address is that of one of three.", "https://" + own + ":6443", 3, true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := claimed(tc.servers, 1)
			c.Cluster, c.Endpoint = "", tc.endpoint
			c.Nodes = []v1alpha1.ClusterNode{{Name: "server-0", IP: own}}

			members, err := Members(identity, c, false)
			if err != nil {
				t.Fatal(err)
			}

			if got := group(members[0].Founder, "k3s")["server"]; (got != nil) != tc.asks {
				t.Errorf("\n%s\nthe first server asks %v", tc.reason, got)
			}

			for _, m := range members[1:] {
				if got := group(m.Spec, "k3s")["server"]; got != tc.endpoint {
					t.Errorf("\n%s\n%s joins %v", tc.reason, m.Node, got)
				}
			}
		})
	}
}
