package properties

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// sharedModels are worlds of what several want that one can have, and of what somebody has in Proxmox before the claim does.
func sharedModels(t *testing.T) map[string]model {
	t.Helper()

	const (
		site  = `defaults: {site: home}, sites: {home: {nodes: {pve: {datastores: {disks: local-zfs, images: local}}}, vmIds: {from: 150, to: 151}`
		rules = `{image: debian-12, proxmox: {node: pve, vmId: 150}, network: {ip: 192.168.4.60, cidr: 24}, firewall: {allow: [{port: 22}, {port: 80}]}}`
		made  = `description: "Machine infra-machines/web (homelab.io), managed by Crossplane."`
	)

	claim := func(namespace, name, spec string) map[string]any {
		return world.NewClaim("Machine", namespace, name, world.FromYAML(t, spec))
	}
	two := func(spec string) []map[string]any {
		return []map[string]any{claim("team-a", "web", spec), claim("team-b", "web2", spec)}
	}
	ranged := []map[string]any{claim("infra-machines", "web", `{image: debian-12, network: {ip: 192.168.4.60, cidr: 24}}`)}
	walled := []map[string]any{claim("infra-machines", "web", rules)}

	return map[string]model{
		"TwoTenantsAddress": {
			reason: "Two tenants want the last address of a pool: one gets it.", claims: two(`{image: debian-12, network: {pool: true}}`), waits: true, most: 1,
			catalogue: `{` + site + `, network: {bridge: vmbr0, gateway: 192.168.4.1, cidr: 24, pool: 192.168.4.60-192.168.4.60}}},
				tenancy: {default: Deny, tenants: {a: {namespaces: [team-a]}, b: {namespaces: [team-b]}}}}`,
		},
		"TwoClaimsQuota": {
			reason: "Two claims want the last room of a quota: one gets it.", waits: true, most: 1, refused: "has no room for this",
			claims:    two(`{image: debian-12, network: {dhcp: true}}`),
			catalogue: `{` + site + `}}, tenancy: {default: Deny, tenants: {ours: {namespaces: ["team-*"], quota: {machines: 1}}}}}`,
		},
		"TwoClonesQuota": {
			reason: "Two claims that wait for a VMID alone want the last room of a quota: one gets it.", begins: looked, waits: true, most: 1, refused: "has no room for this",
			claims: two(`{image: golden, network: {dhcp: true}}`),
			catalogue: `{` + site + `}}, images: {golden: {template: 9000, templateNode: pve, os: debian}},
				tenancy: {default: Deny, tenants: {ours: {namespaces: ["team-*"], quota: {machines: 1}}}}}`,
		},
		"RestoredFromGit": {
			reason: "A claim whose managed resources are gone gets no second VM.", claims: ranged, catalogue: `{` + site + `}}}`, begins: running, waits: true, most: 1,
			says:   map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"},
			person: []act{{what: "restores the cluster from Git", do: restoredFromGit, anew: true}, edit("edits the notes", `{notes: x}`)},
		},
		"RestoredFromGitTwice": {
			reason: "A claim that comes back adopts its VM, and comes back once more.", claims: ranged, catalogue: `{` + site + `}}}`, begins: running, most: 1,
			person: []act{
				{what: "restores the cluster from Git", do: restoredFromGit, anew: true},
				edit("names the VM to adopt", `{adopt: {vmId: 150}}`),
				{what: "approves the adoption", do: approveAdoption},
				{what: "restores the cluster from Git once more", do: restoredFromGit, anew: true},
				{what: "approves the adoption", do: approveAdoption},
			},
			waits: true,
		},
		"RestoredUnread": {
			reason: "What may be the machine's VM of before and cannot be read is waited for.", claims: ranged, catalogue: `{` + site + `}}}`, waits: true, most: 1,
			says: map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"},
			there: func(ms []*world.Machine) {
				ms[0].Proxmox.ByHand(150, fake.HandMade(t, made)).Silent = true
			},
			person: []act{edit("edits the notes", `{notes: x}`), {what: "waits until its guest agent answers", do: func(ms []*world.Machine) { ms[0].Proxmox.VMs[150].Silent = false }}},
		},
		"RestoredFromBackup": {
			reason: "A backup from before a replacement, restored as docs/outside.md says, leaves the new VM alone.", begins: running, waits: true, most: 1,
			claims: ranged, catalogue: `{` + site + `}}}`,
			says: map[string]string{"MachineReady": "WaitingForApproval"},
			person: []act{{what: "restores a backup of before", anew: true, do: func(ms []*world.Machine) {
				restoredFromGit(ms)

				// Of the VM that had been replaced there is only the managed resource, which the person has taken away.
				p := ms[0].Proxmox
				p.VMs[151] = p.VMs[150]
				delete(p.VMs, 150)
				world.Merge(ms[0].Spec(), world.FromYAML(t, `{adopt: {vmId: 151}}`))
			}}, edit("edits the notes", `{notes: x}`)},
		},
		"FirewallBreaksOff": {
			reason: "Rules of a creation that broke off are the claim's, each once.", claims: walled,
			there: func(ms []*world.Machine) {
				one := 1
				ms[0].Proxmox.Firewalls[150] = &world.Firewall{CutAfter: &one}
			},
			person: []act{edit("adds a rule", `{firewall: {allow: [{port: 22}, {port: 80}, {port: 443}]}}`)},
			says:   map[string]string{"FirewallApplied": "Filtering"},
		},
		"FirewallOfSomebody": {
			reason: "Rules that somebody made stay, and the claim says so.", claims: walled,
			there: func(ms []*world.Machine) {
				ms[0].Proxmox.Firewalls[150] = &world.Firewall{Rules: []any{byHandRule()}}
			},
			person: []act{edit("edits a rule", `{firewall: {allow: [{port: 22}, {port: 443}]}}`)},
			says:   map[string]string{"FirewallApplied": "FirewallHasRules"}, walled: true,
		},
		"ReplacementNeverReady": {
			reason: "The old VM stays while the new one is not ready.", begins: running, stop: 1, away: 1,
			claims:    []map[string]any{claim("infra-machines", "web", `{image: debian-12, network: {ip: 192.168.4.60, cidr: 24}}`)},
			catalogue: `{` + strings.Replace(site, "images: local", "images: local, snippets: local", 1) + `}}}`,
			says:      map[string]string{"MachineReady": "Replacing"}, waits: true,
			person: []act{
				{what: "lets no guest agent answer", do: func(ms []*world.Machine) { ms[0].Proxmox.SilentAgents = true }},
				edit("requests a replacement", `{lifecycle: {replace: a}}`),
				edit("edits the notes", `{notes: x}`),
			},
		},
		"ApprovedOnce": {
			reason: "One approval lets one plan go.", begins: running, stop: 1,
			claims: []map[string]any{claim("infra-machines", "web", `{image: debian-12, proxmox: {node: pve, vmId: 150}, network: {ip: 192.168.4.60, cidr: 24}, lifecycle: {approval: OnRisk, rebootPolicy: WhenNeeded}}`)},
			person: []act{
				edit("edits the memory", `{size: {memory: 6Gi}}`), {what: "approves what the status shows", do: approvePlan}, edit("edits the memory again", `{size: {memory: 8Gi}}`),
			},
		},
	}
}

// byHandRule is a rule of a firewall that no claim here has.
func byHandRule() map[string]any {
	return map[string]any{"type": "in", "action": "ACCEPT", "proto": "tcp", "dport": "8006", "comment": "GUI", "enabled": true}
}

// restoredFromGit takes away all that the first claim's cluster knew of it: what is in Proxmox stays, and is nobody's.
func restoredFromGit(ms []*world.Machine) {
	m := ms[0]
	m.Observed = map[string]map[string]any{}
	m.Provider = &world.Provider{Fails: map[string]string{}}
	delete(m.Composite, "status")
	delete(world.Object(m.Spec()["adopt"]), "approve")

	for _, vm := range m.Proxmox.VMs {
		vm.Owner = ""
	}
}

func approveAdoption(ms []*world.Machine) { ms[0].Approve() }

// approvePlan of an edit, where the status has one.
func approvePlan(ms []*world.Machine) {
	if hash := world.Object(world.Object(ms[0].Composite["status"])["plan"])["hash"]; hash != nil {
		world.Object(ms[0].Spec()["lifecycle"])["approve"] = hash
	}
}

// sharedFault is what two claims have that one may have, and what is somebody else's and was changed; empty where all is well.
func (s *search) sharedFault(n node, before int) string {
	p := n.proxmox()

	if s.most > 0 && len(p.VMs) > s.most {
		return fmt.Sprintf("there are %d VMs, and only %d may be", len(p.VMs), s.most)
	}

	if id := triesVM(n); s.there != nil && id != 0 {
		return fmt.Sprintf("a VM is tried with VMID %d, which somebody has", id)
	}

	has := map[string]int{}

	for _, id := range slices.Sorted(maps.Keys(p.VMs)) {
		for _, address := range addressesOfVM(p.VMs[id]) {
			if other := has[address]; other != 0 {
				return fmt.Sprintf("VMs %d and %d run with address %s", other, id, address)
			}

			has[address] = id
		}
	}

	if wall := p.Firewalls[150]; s.there != nil && s.walled && !slices.ContainsFunc(wall.Rules, func(r any) bool { return world.Object(r)["dport"] == "8006" }) {
		return "the rule that somebody made is gone"
	}

	// What is destroyed while its claim lives leaves a VM that has run, unless it was one that was to replace another VM and had not proven itself.
	for _, done := range p.Done[before:] {
		id, isVM := strings.CutPrefix(done, "destroy ")
		if vm, err := strconv.Atoi(id); !isVM || err != nil || !n.counts[vm] || len(n.cluster.Machines) < len(s.claims)+s.agents {
			continue
		}

		if !slices.ContainsFunc(slices.Collect(maps.Values(p.VMs)), func(vm *world.VM) bool { return vm.Starts > 0 }) {
			return "a VM is destroyed before another one has run"
		}
	}

	return ""
}

// addressesOfVM that runs, without those of DHCP.
func addressesOfVM(vm *world.VM) (out []string) {
	for _, i := range world.List(vm.Running["initialization"]) {
		for _, of := range world.List(world.Object(i)["ipConfig"]) {
			for _, v4 := range world.List(world.Object(of)["ipv4"]) {
				if a := fmt.Sprint(world.Object(v4)["address"]); a != "dhcp" {
					out = append(out, a)
				}
			}
		}
	}

	return out
}
