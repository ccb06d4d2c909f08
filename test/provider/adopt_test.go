package provider

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// An adoptionCase is one of testdata/adoption/cases.yaml.
type adoptionCase struct {
	Reason string            `json:"reason"`
	VM     map[string]string `json:"vm"`
	Node   string            `json:"node"`
	Status string            `json:"status"`
	Spec   map[string]any    `json:"spec"`
	// Changes are keys of the VM's configuration that the claim changes, as it says.
	Changes []string `json:"changes"`
	// Refused says that the VM is not taken over.
	Refused bool `json:"refused"`
}

type adoptionCases struct {
	Plain map[string]string       `json:"plain"`
	Spec  map[string]any          `json:"spec"`
	Cases map[string]adoptionCase `json:"cases"`
}

// TestAdopt takes over VMs that somebody made by hand. Whatever such a VM has that no claim can say, it has afterwards.
func TestAdopt(t *testing.T) {
	b, err := os.ReadFile("testdata/adoption/cases.yaml")
	if err != nil {
		t.Fatal(err)
	}

	all := adoptionCases{}
	if err := yaml.UnmarshalStrict(b, &all); err != nil {
		t.Fatal(err)
	}

	for _, name := range slices.Sorted(maps.Keys(all.Cases)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			tc := all.Cases[name]
			l := newLab(t)

			node := tc.Node
			if node == "" {
				node = "pve"
			}

			status := tc.Status
			if status == "" {
				status = "running"
			}

			config := maps.Clone(all.Plain)
			maps.Copy(config, tc.VM)
			maps.DeleteFunc(config, func(_, v string) bool { return v == "" })
			l.touch(t, 200, Touch{Node: node, Status: status, Config: config})

			spec, err := yaml.Marshal(mergePatch(plain(t, all.Spec), plain(t, tc.Spec)))
			if err != nil {
				t.Fatal(err)
			}

			c := l.machine(t, "adopted01", string(spec))
			c.Hasty = true
			tc.run(t, l, c)

			if t.Failed() {
				t.Log(tc.Reason)
			}
		})
	}
}

func (tc adoptionCase) run(t *testing.T, l *lab, c *Control) {
	t.Helper()

	before, since := l.vm(t, 200), l.seq(t)
	l.settle(t, c)
	l.poll(t, c)

	plan, _, _ := unstructured.NestedString(c.Composite.Object, "status", "adoption", "plan")
	unharmed(t, before, l.vm(t, 200), 200, l.writes(t, since))

	adoption, _, _ := unstructured.NestedMap(c.Composite.Object, "status", "adoption")
	lines := fmt.Sprint(adoption["changes"], adoption["reboots"])

	if plan == "" {
		if !tc.Refused {
			t.Errorf("want a plan: %v", c.Conditions["MachineReady"])
		}

		return
	}

	// Another plan than the one that was read approves nothing.
	edit(t, c, `{adopt: {vmId: 200, approve: "aaaaaaaaaa"}}`)
	l.settle(t, c)
	unharmed(t, before, l.vm(t, 200), 200, l.writes(t, since))

	edit(t, c, `{adopt: {vmId: 200, approve: "`+plan+`"}}`)
	writes := l.settle(t, c)

	if tc.Refused {
		unharmed(t, before, l.vm(t, 200), 200, l.writes(t, since))

		return
	}

	if c.composed["vm"].resource.OnlyLooks() {
		t.Errorf("want the VM to be taken over: %v", c.Conditions["MachineReady"])
	}

	tc.check(t, before, l.vm(t, 200), writes)
	tc.planned(t, before, l.vm(t, 200), lines)

	// It stays so: at the next look, after a restart of the provider, and when the claim changes.
	if w := l.poll(t, c); w != "" {
		t.Errorf("a poll writes:\n%s", w)
	}

	d := c.composed["vm"]
	for what, status := range map[string]map[string]any{"with": withoutSecrets(d.outcome.Attributes), "without": nil} {
		drift, err := l.Restart(t.Context(), d.workspace, "200", status)
		if err != nil || drift != "" {
			t.Errorf("after a restart of the provider, %s status: %v\n%s", what, err, drift)
		}
	}

	edit(t, c, `{tags: [claimed], size: {disk: 40Gi}}`)
	writes = l.settleHealing(t, c)
	without(t, writes, "/status/", "delete=scsi", "delete=net", "DELETE")
}

// check holds that the VM is what it was.
func (tc adoptionCase) check(t *testing.T, before, after VM, writes string) {
	t.Helper()

	if !slices.Contains(tc.Changes, "status") {
		without(t, writes, "/status/")

		if before.Status != after.Status {
			t.Errorf("it was %s, and is %s", before.Status, after.Status)
		}
	}

	without(t, writes, "delete=scsi", "delete=net", "DELETE", "/migrate", "/move_disk", "qemu vmid")

	if before.Node != after.Node {
		t.Errorf("it was on %s, and is on %s", before.Node, after.Node)
	}

	keys := map[string]bool{}
	for k := range before.Config {
		keys[k] = true
	}

	for k := range after.Config {
		keys[k] = true
	}

	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if slices.Contains(tc.Changes, k) {
			continue
		}

		if was, is := meaning(k, before.Config[k]), meaning(k, after.Config[k]); !maps.Equal(was, is) {
			t.Errorf("%s was %q, and is %q", k, before.Config[k], after.Config[k])
		}
	}

	for _, k := range after.Pending {
		// The text of the agent's option is another one for the same, and shows as pending.
		if k != "agent" && !slices.Contains(tc.Changes, k) && !maps.Equal(meaning(k, before.Config[k]), meaning(k, after.Config[k])) {
			t.Errorf("%s waits for a restart", k)
		}
	}
}

// planned holds that every option whose text changed was in the plan that was approved, by the name of the option or as a field of
// the claim.
func (tc adoptionCase) planned(t *testing.T, before, after VM, plan string) {
	t.Helper()

	for _, k := range slices.Sorted(maps.Keys(after.Config)) {
		// The provider gives each disk and interface its settings back, one by one; check knows their meaning.
		whole := regexp.MustCompile(`^(scsi|virtio|sata|ide|net)[0-9]+$`).MatchString(k)
		if before.Config[k] == after.Config[k] || whole || slices.Contains(tc.Changes, k) {
			continue
		}

		if !strings.Contains(plan, "option "+k+": ") {
			t.Errorf("%s was %q, and is %q: the plan does not say so: %s", k, before.Config[k], after.Config[k], plan)
		}
	}
}

// meaning is what an option says, without what Proxmox takes for granted.
func meaning(key, value string) map[string]string {
	defaults := map[string]string{
		"aio": "io_uring", "backup": "1", "cache": "none", "discard": "ignore", "iothread": "0", "replicate": "1", "ssd": "0", // disks
		"fstrim_cloned_disks": "0", "type": "virtio", // agent
		"firewall": "0", "pcie": "0", "rombar": "1", "x-vga": "0", "usb3": "0", "memory": "16",
	}
	out := map[string]string{}

	for p := range strings.SplitSeq(value, ",") {
		k, v, ok := strings.Cut(p, "=")

		switch {
		case !ok && k == "":
			continue
		case !ok && key == "agent":
			k, v = "enabled", k
		case !ok && key == "vga":
			k, v = "kind", k
		case key == "vga" && k == "type":
			k = "kind"
		case !ok:
			k, v = "", k
		}

		if defaults[k] != v || !ok {
			out[k] = v
		}
	}

	// Options that are not there and those at their default are the same: at the provider's default, of the type of the processor. That
	// such options are written is in the plan.
	if whole := map[string]string{"cpu": "qemu64", "balloon": "0", "numa": "0", "sockets": "1", "cores": "1", "ostype": "other", "scsihw": "lsi", "protection": "0", "onboot": "0", "vga": "std"}; value == whole[key] {
		return map[string]string{}
	}

	return out
}

// TestAdoptNothing holds that a VM that is not there, cannot be read or is another machine's is said to be so, and that nothing
// is made or changed.
func TestAdoptNothing(t *testing.T) {
	const spec = `{proxmox: {node: pve}, network: {dhcp: true}, adopt: {vmId: 200}}`

	t.Run("Missing", func(t *testing.T) {
		t.Parallel()

		l := newLab(t)
		c := l.machine(t, "adopted01", spec)
		c.Hasty = true

		if w := l.settle(t, c); w != "" {
			t.Errorf("it writes:\n%s", w)
		}

		want(t, c, "MachineReady", "False", "AdoptionTargetMissing")

		// It comes later.
		l.foreign(t, 200, "pve2", nil)

		if w := l.poll(t, c); w != "" {
			t.Errorf("it writes:\n%s", w)
		}

		want(t, c, "MachineReady", "False", "WaitingForApproval", "pve2")
	})

	t.Run("Silent", func(t *testing.T) {
		t.Parallel()

		l := newLab(t)
		l.foreign(t, 200, "pve", nil)
		l.touch(t, 200, Touch{Agent: "missing"})

		before, since := l.vm(t, 200), l.seq(t)
		c := l.machine(t, "adopted01", spec)
		c.Timeout = 4 * time.Second
		l.settle(t, c)
		want(t, c, "MachineReady", "False", "AdoptionTargetSilent", "qm set 200 --agent 0")

		// As the message says: the option alone, while the VM runs.
		l.touch(t, 200, Touch{Config: map[string]string{"agent": "0"}})
		l.poll(t, c)
		want(t, c, "MachineReady", "False", "WaitingForApproval")

		before.Config["agent"] = "0"
		unharmed(t, before, l.vm(t, 200), 200, l.writes(t, since))
	})

	t.Run("AnothersMachine", func(t *testing.T) {
		t.Parallel()

		l := newLab(t)
		owner := l.machine(t, "owner", `{proxmox: {node: pve, vmId: 200}, network: {dhcp: true}}`)
		l.settle(t, owner)

		before, since := l.vm(t, 200), l.seq(t)
		c := l.machine(t, "adopted01", spec)
		c.Neighbours = []*Control{owner}
		l.poll(t, c)
		want(t, c, "VMIDInUse", "True", "NumberClaimed", "lab/owner")
		unharmed(t, before, l.vm(t, 200), 200, l.writes(t, since))
	})
}
