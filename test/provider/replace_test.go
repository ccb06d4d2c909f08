package provider

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestReplace holds that a new VM takes the place of an old one only when somebody asks for it, and that the old one is there
// until the new one is as it should be.
func TestReplace(t *testing.T) {
	const ranged = `{proxmox: {site: ranged, node: pve}, network: {dhcp: true}, bootstrap: {userData: "#cloud-config\nruncmd: [date]\n"}, disks: [{name: data, size: 5Gi}]}`

	cases := map[string]struct {
		reason string
		spec   string
		run    func(t *testing.T, l *lab, c *Control)
	}{
		"SideBySide": {
			reason: "Two VMs with addresses by DHCP can run at once: the old one is destroyed when the new one has an address.",
			spec:   ranged,
			run:    sideBySide,
		},
		"Restarts": {
			reason: "A provider that restarts at any moment makes the same of it.",
			spec:   ranged,
			run: func(t *testing.T, l *lab, c *Control) {
				t.Helper()

				c.Forgetful = true

				sideBySide(t, l, c)
			},
		},
		"FixedAddress": {
			reason: "Two VMs with one address cannot: the old one is stopped first, and started again if the word is taken back.",
			spec:   `{proxmox: {site: ranged, node: pve}, network: {ip: 192.168.4.60}}`,
			run:    fixedAddress,
		},
		"Orphan": {
			reason: "With deletionPolicy Orphan the old VM stays in Proxmox, stopped, with its disks and snippets.",
			spec:   ranged,
			run:    orphaned,
		},
		"FixedNumber": {
			reason: "Two VMs cannot have one number. Nothing is done until the claim says another one.",
			spec:   `{proxmox: {node: pve, vmId: 160}, network: {dhcp: true}}`,
			run:    fixedNumber,
		},
		"NewOneFails": {
			reason: "A new VM that cannot be made costs the old one nothing. Taking the word back removes what there is of it.",
			spec:   ranged,
			run:    newOneFails,
		},
		"NewOneSilent": {
			reason: "A new VM that never shows an address does not replace one that runs.",
			spec:   ranged,
			run:    newOneSilent,
		},
		"LastServer": {
			reason: "The only server of a K3s cluster holds its state, and is not replaced.",
			spec: `{proxmox: {site: ranged, node: pve}, network: {dhcp: true}, deletionPolicy: Delete,
				k3s: {role: server, init: true, version: v1.33.6+k3s1}, bootstrap: {snippets: {vendorData: "local:snippets/k3s-token.yaml"}}}`,
			run: lastServer,
		},
		"Commit": {
			reason: "Two words in a row: the second attempt replaces the first.",
			spec:   ranged,
			run:    twoWords,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			l := newLab(t)
			c := l.machine(t, "app01", tc.spec)
			c.Hasty, c.MayDrop = true, true
			l.settle(t, c)

			if vm := l.vm(t, c.vmID(t)); vm.Status != "running" {
				t.Fatalf("want VM %d to run, got: %+v", c.vmID(t), vm)
			}

			tc.run(t, l, c)

			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

// vmID of the machine, as it says.
func (c *Control) vmID(t *testing.T) int {
	t.Helper()

	id, ok, err := unstructured.NestedFieldNoCopy(c.Composite.Object, "status", "vmId")
	if err != nil || !ok {
		t.Fatalf("no status.vmId: %v", err)
	}

	n, err := strconv.Atoi(fmt.Sprint(id))
	if err != nil {
		t.Fatal(err)
	}

	return n
}

// follow makes rounds until one changes nothing, and calls check after each.
func (l *lab) follow(t *testing.T, c *Control, check func()) {
	t.Helper()

	for range maxRounds {
		r, err := c.Round(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		check()

		if len(r.Changed)+len(r.Dropped) == 0 {
			return
		}
	}

	t.Fatal("it does not come to rest")
}

func sideBySide(t *testing.T, l *lab, c *Control) {
	t.Helper()

	before := l.state(t)
	edit(t, c, `{lifecycle: {replace: one}, size: {cores: 4}, bootstrap: {userData: "#cloud-config\nruncmd: [uptime]\n"}}`)
	l.follow(t, c, func() {
		vms := l.state(t).VMs
		if vms["160"].Status != "running" && vms["161"].Status != "running" {
			t.Errorf("neither the old nor the new VM runs: %+v", vms)
		}
	})

	after := l.state(t)
	if vm, ok := after.VMs["160"]; ok {
		t.Errorf("the old VM is still there: %+v", vm)
	}

	if vm := after.VMs["161"]; vm.Status != "running" || vm.Config["cores"] != "4" || len(vm.Pending) > 0 || vm.Config["cicustom"] == before.VMs["160"].Config["cicustom"] {
		t.Errorf("want the new VM to be as the claim says now, got: %+v", vm)
	}

	for id := range after.Volumes {
		if strings.Contains(id, "vm-160-") {
			t.Errorf("%s of the old VM is left", id)
		}
	}

	if _, ok := after.Volumes["local:import/debian-13.qcow2"]; !ok {
		t.Error("the image that others use was deleted")
	}

	if n := len(l.snippets(t)); n != 2+1 { // Its own two, and the one that is there from the start.
		t.Errorf("want two snippets to be left, got: %v", l.snippets(t))
	}

	want(t, c, "MachineReady", "True", "Running")
	l.quiet(t, c, `{}`, `{lifecycle: {replace: null}}`, `{lifecycle: {replace: one}}`)

	// And once more, with another word.
	edit(t, c, `{lifecycle: {replace: two}}`)
	l.settle(t, c)

	if vms := l.state(t).VMs; len(vms) != 2 || vms["160"].Status != "running" && vms["162"].Status != "running" {
		t.Errorf("want one VM, besides the template, got: %v", slices.Sorted(maps.Keys(vms)))
	}

	l.quiet(t, c, `{lifecycle: {replace: one}}`, `{lifecycle: {replace: two}}`)
}

// quiet holds that edits, and a look of the provider at everything, write nothing.
func (l *lab) quiet(t *testing.T, c *Control, patches ...string) {
	t.Helper()

	for _, p := range patches {
		edit(t, c, p)

		if w := l.poll(t, c); w != "" {
			t.Errorf("%s writes:\n%s", p, w)
		}
	}
}

// snippets are the names of all snippets on datastore local.
func (l *lab) snippets(t *testing.T) []string {
	t.Helper()

	return list(t, l.Simulator.Dir+"/local/snippets")
}
