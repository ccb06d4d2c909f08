package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pve is a played Proxmox: VMs, snippets, and what was done to them.
type pve struct {
	t        *testing.T
	vms      map[int]*guest
	snippets map[string]bool // By node and volume.
	done     []string
	clock    int  // Of creation times.
	mute     bool // Whether the guest agents of new VMs do not answer.
}

// A guest is one VM.
type guest struct {
	owner   string         // The managed resource that made it; empty for one that somebody else made.
	config  map[string]any // As the provider reports it.
	running map[string]any // What it runs with: its config when it was started last. Nil while it is stopped.
	written any            // The node that its managed resource named last.
	silent  bool           // Whether its guest agent is switched on and does not answer.
}

// switches of the provider, which are no part of a VM.
var providerSwitches = []string{
	"reboot", "rebootAfterUpdate", "migrate", "stopOnDestroy", "purgeOnDestroy", "deleteUnreferencedDisksOnDestroy", "started", "vmId",
}

func (p *pve) note(format string, args ...any) { p.done = append(p.done, fmt.Sprintf(format, args...)) }

// did says what was done in Proxmox since it was last asked, and nothing else.
func (l *lab) did(want ...string) {
	l.t.Helper()

	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, l.pve.done...)); diff != "" {
		l.t.Errorf("done in Proxmox: -want, +got:\n%s", diff)
	}

	l.pve.done = nil
}

// report is all that there is in Proxmox.
func (p *pve) report() map[string]any {
	out := map[string]any{}
	for id, g := range p.vms {
		out[strconv.Itoa(id)] = []any{g.config, g.running}
	}

	return out
}

// foreign VM that somebody made by hand.
func (p *pve) foreign(id int, config map[string]any) *guest {
	g := &guest{config: config}
	if config["started"] == true {
		g.running = object(runtimeCopy(config))
	}

	p.vms[id] = g

	return g
}

func (p *pve) start(id int) {
	g := p.vms[id]

	for _, i := range asList(g.config["initialization"]) {
		for _, file := range []string{"userDataFileId", "metaDataFileId"} {
			if v, _ := object(i)[file].(string); v != "" && !p.snippets[g.node()+" "+v] && strings.HasSuffix(v, "-data.yaml") {
				p.t.Errorf("VM %d does not start: %s is not on node %s", id, v, g.node())
			}
		}
	}

	g.config["started"], g.running = true, object(runtimeCopy(g.config))
}

func (p *pve) stop(id int) {
	g := p.vms[id]
	g.config["started"], g.running = false, nil
}

func (g *guest) node() string { return fmt.Sprint(g.config["nodeName"]) }

// lostSnippets: a VM whose snippets are on no node any more never starts again, also one that was let go of.
func (p *pve) lostSnippets() {
	for id, g := range p.vms {
		for _, i := range asList(g.config["initialization"]) {
			v, _ := object(i)["userDataFileId"].(string)
			there := false

			for s := range p.snippets {
				there = there || strings.HasSuffix(s, " "+v)
			}

			if strings.HasSuffix(v, ".user-data.yaml") && !there {
				p.t.Errorf("VM %d lost its snippet %s", id, v)
			}
		}
	}
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}

func (p *pve) free() int {
	for id := 100; ; id++ {
		if _, ok := p.vms[id]; !ok {
			return id
		}
	}
}

// seen is a VM as the provider reports it.
func (g *guest) seen(id int) map[string]any {
	at := object(runtimeCopy(g.config))
	if _, ok := at["started"]; !ok {
		at["started"] = false
	}

	at["id"], at["vmId"] = strconv.Itoa(id), float64(id)

	agent := asList(at["agent"])
	if g.running == nil || len(agent) == 0 || object(agent[0])["enabled"] != true || g.silent {
		return at
	}

	names, macs, v4 := []any{"lo"}, []any{"00:00:00:00:00:00"}, []any{[]any{"127.0.0.1"}}

	for i, d := range asList(at["networkDevice"]) {
		mac, ok := object(d)["macAddress"].(string)
		if !ok {
			mac = fmt.Sprintf("BC:24:11:0A:%02X:%02X", id%256, i)
			object(d)["macAddress"] = mac
		}

		names, macs = append(names, "eth"+strconv.Itoa(i)), append(macs, strings.ToLower(mac))
		v4 = append(v4, []any{fmt.Sprintf("192.168.%d.%d", 4+i, id%250+1)})
	}

	at["networkInterfaceNames"], at["macAddresses"], at["ipv4Addresses"] = names, macs, v4

	return at
}

// essence of a value: what says nothing, and what the provider finds out by itself, is left out.
func essence(v any) any {
	switch v := v.(type) {
	case []any:
		out := []any{}
		for _, e := range v {
			out = append(out, essence(e))
		}

		if len(out) == 0 {
			return nil
		}

		return out
	case map[string]any:
		out := map[string]any{}

		for k, e := range v {
			if e = essence(e); e != nil && !slices.Contains([]string{"fileFormat", "pathInDatastore", "enabled"}, k) {
				out[k] = e
			}
		}

		return out
	case string:
		if v == "" {
			return nil
		}
	case float64:
		if v == 0 {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}

	return v
}

// made is what a VM has of what is written of it.
func made(p map[string]any) map[string]any {
	out := object(runtimeCopy(p))
	for _, s := range providerSwitches {
		delete(out, s)
	}

	// What is made up by Proxmox stays.
	return out
}
