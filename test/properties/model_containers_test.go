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

// containerModels are worlds of containers on one node. All but the first begin with containers that run.
func containerModels(t *testing.T) map[string]model {
	t.Helper()

	claim := func(name string, id int, spec string) map[string]any {
		s := world.FromYAML(t, fmt.Sprintf("{image: 'local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst', proxmox: {node: pve, vmId: %d}, network: {ip: 192.168.4.%d/24}}", id, id-90))
		world.Merge(s, world.FromYAML(t, spec))

		return world.NewClaim("Container", "infra-machines", name, s)
	}
	one := func(spec string) []map[string]any { return []map[string]any{claim("web", 150, spec)} }
	replaced := edit("requests a replacement", `{proxmox: {vmId: 151}, unprivileged: false, lifecycle: {replace: a}}`)

	// The range of a site has two VMIDs, of which a container that names none looks for the first one first.
	const looked, catalogue = 150, `{defaults: {site: home}, sites: {home: {nodes: {pve: {datastores: {disks: local-zfs, images: local}}}, vmIds: {from: 150, to: 151}}}}`

	unnamed := one(`{proxmox: {vmId: null}}`)
	makesVM := func(ms []*world.Machine) {
		if p := ms[0].Proxmox; p.Containers[looked] == nil {
			p.ByHand(looked, fake.HandMade(t, `started: false`))
		}
	}
	makesContainer := func(ms []*world.Machine) {
		if p := ms[0].Proxmox; p.Containers[looked] == nil {
			p.Containers[looked] = &world.Container{Config: world.FromYAML(t, `{nodeName: pve, description: mine, started: false}`)}
		}
	}

	return map[string]model{
		"ContainerAfterVM": {
			reason: "A container is not tried with the VMID of a VM.", claims: unnamed, catalogue: catalogue, there: makesVM,
		},
		"ContainerAfterContainer": {
			reason: "A container is not tried with the VMID of a container.", claims: unnamed, catalogue: catalogue, there: makesContainer, besides: 1,
		},
		"ContainerMadeBefore": {
			reason: "A claim that comes back gets no second container.", claims: unnamed, catalogue: catalogue, besides: 1, waits: true,
			says: map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"},
			there: func(ms []*world.Machine) {
				ms[0].Proxmox.Done = []string{fmt.Sprintf("make container %d", looked)} // By another Crossplane.
				ms[0].Proxmox.Containers[looked] = &world.Container{Config: world.FromYAML(t,
					`{nodeName: pve, description: "Container infra-machines/web (homelab.io, 3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a10), managed by Crossplane", started: true}`)}
			},
			person: []act{edit("edits the notes", `{notes: x}`)},
		},
		"ContainerBesideContainer": {
			reason: "A container whose VMID somebody gives a container gets the next one.", claims: unnamed, catalogue: catalogue, besides: 1,
			person: []act{{what: "makes a container with the VMID", do: makesContainer}},
		},
		"ContainerReplacementNeverRuns": {
			reason: "The old container stays while the new one cannot start.", claims: one(`{}`), begins: running, stop: 1, away: 1,
			person: []act{{what: "lets each start fail", do: func(ms []*world.Machine) {
				ms[0].Provider.FailsToStart = "apply failed: startup for container '151' failed"
			}}, replaced},
			waits: true, says: map[string]string{"MachineReady": "Replacing", "ReplacementRequired": "Replacing"},
		},
		"ContainerBirth": {
			reason: "A container is made once, and goes with its claim.", claims: one(`{deletionPolicy: Delete}`), destroy: 1, person: []act{{what: "deletes the claim", do: leave}},
		},
		"ContainerFails": {
			reason: "A container that cannot be created is, once it can.", claims: one(`{}`),
			person: []act{failsToCreate("lets each creation fail", "no such storage"), failsToCreate("lets them succeed again", "")},
		},
		"ContainerRestart": {
			reason: "One word, one restart, with what waits for it.", claims: one(`{}`), begins: running, stop: 1, away: 1,
			person: []act{edit("edits the memory", `{size: {memory: 2Gi}}`), edit("requests a restart", `{lifecycle: {reboot: a}}`), edit("edits the notes", `{notes: x}`)},
		},
		"ContainerOnRequest": {
			reason: "Nobody asked for a restart.", claims: one(`{}`), begins: running,
			person: []act{edit("edits the memory", `{size: {memory: 2Gi}}`), edit("edits the notes", `{notes: x}`), edit("edits the address", `{network: {ip: 192.168.4.99/24}}`)},
			says:   map[string]string{"RebootPending": "ChangesPending"},
		},
		"ContainerStoppedByHand": {
			reason: "A container is started again, and never restarted.", claims: one(`{}`), begins: running, away: 1,
			person: []act{eachContainer("stops the container", func(c *world.Container) { c.Config["started"] = false }), edit("edits the memory", `{size: {memory: 2Gi}}`)},
		},
		"ContainerDestroyedByHand": {
			reason: "A container is made again.", claims: one(`{}`), begins: running, away: 1,
			person: []act{{what: "destroys the container", do: destroyContainers}, edit("edits the notes", `{notes: x}`)},
		},
		"ContainerReplacement": {
			reason: "The old container goes once, when the new one has run; never do both.", claims: one(`{}`), begins: running, stop: 1, destroy: 1, away: 1,
			person: []act{replaced, edit("edits the notes", `{notes: x}`)},
		},
		"ContainerReplacementFails": {
			reason: "The old container stays while the new one cannot be made.", claims: one(`{}`), begins: running, stop: 1, destroy: 1, away: 1,
			person: []act{replaced, failsToCreate("lets each creation fail", "no such storage"), failsToCreate("lets them succeed again", "")},
		},
		"ContainerReplacementFailed": {
			reason: "A new container that cannot be made is waited for, and says so.", claims: one(`{}`), begins: running, stop: 1, away: 1,
			person: []act{failsToCreate("lets each creation fail", "no such storage"), replaced}, waits: true, says: map[string]string{"MachineReady": "Replacing", "ReplacementRequired": "Replacing", "ProviderHealthy": "ProviderError"},
		},
		"ContainerReplacementBlocked": {
			reason: "A replacement that cannot be waits for a person, and the container runs on.", claims: one(`{}`), begins: running,
			person: []act{edit("requests a replacement with the same VMID", `{unprivileged: false, lifecycle: {replace: a}}`), edit("edits the notes", `{notes: x}`)},
			says:   map[string]string{"ReplacementRequired": "ReplacementBlocked", "MachineReady": "Running"},
		},
		"ContainerReplacementStartedByHand": {
			reason: "Beside a container that somebody starts, no new one starts.", claims: one(`{}`), begins: running, stop: 3, destroy: 1, away: 1, together: true,
			person: []act{replaced, {what: "starts the old container", do: func(ms []*world.Machine) {
				if old := ms[0].Proxmox.Containers[150]; old != nil {
					old.Config["started"] = true
				}
			}}},
		},
		"ContainerReplacementLost": {
			reason: "The old container stays while the new one is gone.", claims: one(`{}`), begins: running, stop: 1, destroy: 1, away: 1, together: true,
			person: []act{replaced, {what: "destroys the new container", do: func(ms []*world.Machine) { delete(ms[0].Proxmox.Containers, 151) }}},
		},
		"ContainerAndVM": {
			reason: "A container and a VM want one VMID: one gets it.", claims: []map[string]any{claim("web", 150, `{}`), world.NewClaim("Machine", "infra-machines", "vm",
				world.FromYAML(t, "{image: debian-12, proxmox: {node: pve, vmId: 150}, network: {ip: 192.168.4.61, cidr: 24}}"))}, waits: true,
		},
		"ContainerReplacementTakenBack": {
			reason: "Of two containers one stays.", claims: one(`{}`), begins: running, stop: 2, destroy: 1, away: 1,
			person: []act{replaced, edit("takes it back", `{proxmox: {vmId: 150}, unprivileged: true, lifecycle: {replace: null}}`)},
		},
		"ContainerWave": {
			reason: "Of two containers of a group one is away at a time.", begins: running, stop: 2, away: 1,
			claims: []map[string]any{claim("a", 150, `{rollout: {group: web, wave: 1}}`), claim("b", 151, `{rollout: {group: web, wave: 2}}`)},
			person: []act{{what: "requests a restart of both containers", do: func(ms []*world.Machine) {
				for _, m := range ms {
					world.Merge(m.Spec(), world.FromYAML(t, "{lifecycle: {reboot: a}}"))
				}
			}}},
		},
	}
}

func leave(ms []*world.Machine) { ms[0].Leave() }

// failsToCreate lets the provider fail to create anything, with a message; empty lets it create again.
func failsToCreate(what, message string) act {
	return act{what: what, do: func(ms []*world.Machine) {
		for _, m := range ms {
			m.Provider.FailsToCreate = message
		}
	}}
}

func eachContainer(what string, do func(c *world.Container)) act {
	return act{what: what, do: func(ms []*world.Machine) {
		for _, c := range ms[0].Proxmox.Containers {
			do(c)
		}
	}}
}

func destroyContainers(ms []*world.Machine) { clear(ms[0].Proxmox.Containers) }

// containersFault is what containers of a state must not be; empty where all is well.
func (s *search) containersFault(n node) string {
	p := n.proxmox()

	if id := tries(n); s.there != nil && id != 0 {
		return fmt.Sprintf("a container is tried with VMID %d, which somebody had before", id)
	}

	for _, id := range slices.Sorted(maps.Keys(p.Containers)) {
		if s.begins == unmade && claimOf(p.Containers[id]) != "" && !slices.Contains(p.Done, fmt.Sprintf("make container %d", id)) {
			return fmt.Sprintf("container %d is somebody else's, and was changed", id)
		}
	}

	for _, done := range p.Done {
		if strings.HasPrefix(done, "restart ") {
			return "the provider restarts a container of its own accord: " + done
		}
	}

	run := map[string][]int{}

	for _, id := range slices.Sorted(maps.Keys(p.Containers)) {
		c := p.Containers[id]
		if c.Config["started"] != true {
			continue
		}

		if s.together {
			continue
		}

		for _, word := range append(addressesOf(c), "claim "+claimOf(c)) {
			if run[word] = append(run[word], id); len(run[word]) > 1 {
				return fmt.Sprintf("containers %v run with one %s", run[word], word)
			}
		}
	}

	// What is destroyed while its claim lives leaves a container that has run.
	if last := len(p.Done) - 1; !s.together && last >= 0 && strings.HasPrefix(p.Done[last], "destroy container ") && len(n.cluster.Machines) == len(s.claims) {
		if !slices.ContainsFunc(slices.Sorted(maps.Keys(p.Containers)), func(id int) bool { return s.hasRun(p, id) }) {
			return "a container is destroyed before another one has run"
		}
	}

	if s.begins != running || s.away == 0 {
		return ""
	}

	if off := len(n.cluster.Machines) - claimsThatRun(p); off > s.away {
		return fmt.Sprintf("%d containers are away at once", off)
	}

	return ""
}

// tries is the VMID of a VM or a container of somebody else with which the provider is to make a container; 0 for none.
func tries(n node) int {
	for _, m := range n.cluster.Machines {
		for _, name := range world.Keys(m.Observed) {
			o := m.Observed[name]
			id, _ := strconv.Atoi(world.Annotation(o, world.ExternalName))

			if o["kind"] == world.ContainerKind && !onlyObserved(o) && (m.Proxmox.VMs[id] != nil || m.Proxmox.Containers[id] != nil && !madeContainer(m, o)) {
				return id
			}
		}
	}

	return 0
}

// hasRun says whether a container ran when the search began, or since.
func (s *search) hasRun(p *world.Proxmox, id int) bool {
	made := slices.Contains(p.Done, fmt.Sprintf("make container %d", id))

	return s.begins == running && !made || slices.Contains(p.Done, fmt.Sprintf("start container %d", id))
}

func claimsThatRun(p *world.Proxmox) int {
	claims := map[string]bool{}

	for _, c := range p.Containers {
		if c.Config["started"] == true {
			claims[claimOf(c)] = true
		}
	}

	return len(claims)
}

// claimOf a container is the claim that its notes name.
func claimOf(c *world.Container) string {
	for line := range strings.Lines(fmt.Sprint(c.Config["description"])) {
		if claim, _, ok := strings.Cut(line, " (homelab.io, "); ok {
			return claim
		}
	}

	return ""
}

// addressesOf a container, with their length of prefix.
func addressesOf(c *world.Container) (out []string) {
	for _, i := range world.List(c.Config["initialization"]) {
		for _, of := range world.List(world.Object(i)["ipConfig"]) {
			for _, v4 := range world.List(world.Object(of)["ipv4"]) {
				out = append(out, fmt.Sprint("address ", world.Object(v4)["address"]))
			}
		}
	}

	return out
}
