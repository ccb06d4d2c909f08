package bootstrap

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestLabel: a new node of an observed cluster labels its Node. A node without the label, made before somebody switched the
// observation on, is current, and so is one with the label afterwards; and both get their lost user-data back, byte for byte.
func TestLabel(t *testing.T) {
	token := full

	of := func(o machine.Observation) *Bootstrap {
		m := plain()
		agent(m)
		m.K3s.Observe, m.K3s.NodeUID = o, "7f3c8f0e-5a44-5b39-9d0e-5f7c2f2f8a11"

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

	here, none := of(machine.ObserveHere), of(machine.ObserveNone)

	d, err := readDocument(string(data(here)))
	if err != nil {
		t.Fatal(err)
	}

	// readDocument passes over the file, so that no difference is made of it.
	if _, ok := d.files[k3s.UIDPath]; ok {
		t.Error("the label is compared with what the claim asks for")
	}

	const want = "  - path: /etc/rancher/k3s/config.yaml.d/90-machine-uid.yaml\n    permissions: '0600'\n    owner: root:root\n    content: |\n" +
		"      node-label+:\n        - homelab.io/machine-uid=7f3c8f0e-5a44-5b39-9d0e-5f7c2f2f8a11\n"

	if !bytes.Contains(data(here), []byte(want)) || bytes.Contains(data(none), []byte("machine-uid")) {
		t.Errorf("the label is to be in the user-data of an observed cluster alone:\n%s", data(here))
	}

	if before, after, _ := bytes.Cut(data(here), []byte(want)); !bytes.Equal(append(bytes.Clone(before), after...), data(none)) {
		t.Error("more than the label is another one")
	}

	for name, pair := range map[string][2]*Bootstrap{"SwitchedOn": {none, here}, "SwitchedOff": {here, none}} {
		was, is := pair[0], pair[1]

		if !is.Describes(was.Hash) || was.Hash == "" {
			t.Errorf("%s: a node with hash %s reads as edited: %s", name, was.Hash, is.Hash)
		}

		if diff := cmp.Diff([]Difference(nil), is.Differences(Made{UserData: string(data(was))})); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}

		former, err := is.Formerly()
		if err != nil {
			t.Fatal(err)
		}

		found := false
		for _, f := range former {
			found = found || bytes.Equal(f, data(was))
		}

		if !found {
			t.Errorf("%s: the user-data of the node cannot be written again", name)
		}
	}
}
