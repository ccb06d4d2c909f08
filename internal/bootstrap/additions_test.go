package bootstrap

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestAdditions: a new server has the host of its cluster's endpoint in its certificate, and flannel the interface of the node's address. A server
// without them, made before, is current, and so is one whose second interface came or went; all get their lost user-data back, byte for byte.
func TestAdditions(t *testing.T) {
	token := full

	of := func(change func(*machine.Machine)) *Bootstrap {
		m := plain()
		agent(m)
		m.K3s.Role = v1alpha1.K3sServer
		m.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodStatic, Address: "172.16.5.21", Prefix: 24}
		change(m)

		b, errs := New(m, &token)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}

		return b
	}
	data := func(b *Bootstrap) []byte {
		out, err := b.UserData()
		if err != nil {
			t.Fatal(err)
		}

		return out
	}

	one := of(func(*machine.Machine) {})
	two := of(func(m *machine.Machine) {
		m.NICs = append(m.NICs, machine.NIC{Bridge: "vmbr1", IPv4: machine.Addressing{Method: machine.MethodDHCP}})
	})

	before, err := one.document.Marshal() // As it was before there was such a file.
	if err != nil {
		t.Fatal(err)
	}

	const (
		file  = "  - path: /etc/rancher/k3s/config.yaml.d/80-cluster.yaml\n    permissions: '0600'\n    owner: root:root\n    content: |\n      tls-san+:\n        - k3s.home.arpa\n"
		iface = "      flannel-iface: eth0\n"
	)

	for name, tc := range map[string]struct {
		is   *Bootstrap
		want string
	}{"One": {one, file}, "Two": {two, file + iface}} {
		head, tail, found := bytes.Cut(data(tc.is), []byte(tc.want))
		if !found || !bytes.Equal(append(bytes.Clone(head), tail...), before) {
			t.Errorf("%s: want the file of additions, and nothing else, more than before:\n%s", name, data(tc.is))
		}
	}

	for name, tc := range map[string]struct {
		was []byte
		is  *Bootstrap
	}{"Before": {before, one}, "BeforeTwo": {before, two}, "InterfaceCame": {data(one), two}, "InterfaceWent": {data(two), one}} {
		if !tc.is.Describes(one.Hash) || !one.Describes(two.Hash) || one.Hash == "" {
			t.Errorf("%s: hash %s reads as edited: %s", name, one.Hash, tc.is.Hash)
		}

		if diff := cmp.Diff([]Difference(nil), tc.is.Differences(Made{UserData: string(tc.was)})); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}

		former, err := tc.is.Formerly()
		if err != nil {
			t.Fatal(err)
		}

		found := false
		for _, f := range former {
			found = found || bytes.Equal(f, tc.was)
		}

		if !found {
			t.Errorf("%s: the user-data of the node cannot be written again", name)
		}
	}
}
