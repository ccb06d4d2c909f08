package preview

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// A policy is a field that does nothing to what runs, and decides what happens later.
type policy struct {
	path []string
	// says what each value decides, by the value as it is printed; empty for a claim without the field whose kind has no default. Values that decide
	// nothing are not there. Where it is another thing for a kind, the kind is before the value.
	says map[string]string
	// defaults by kind; empty for all other kinds.
	defaults map[string]string
}

const (
	yes = "true"
	no  = "false"
)

// policies of claims, in the order in which a plan tells of them.
func policies() []policy {
	return []policy{
		{
			path: []string{"deletionPolicy"},
			defaults: map[string]string{
				"": "Delete", claim.KindK3sNode: "Orphan", claim.KindK3sCluster: "Orphan", claim.KindProxmoxSite: "Orphan",
			},
			says: map[string]string{
				"Delete":                          "whoever deletes the claim destroys what it made, with all disks",
				claim.KindProxmoxSite + "/Delete": "whoever deletes the claim destroys the bridges, VLAN interfaces and pools that are not in use",

				"Orphan": "what the claim made stays in Proxmox when the claim is deleted",
			},
		},
		{path: []string{"deletionProtection"}, says: map[string]string{
			yes: "nobody can delete the claim before this is false",
			no:  "nothing keeps the claim from being deleted any more",
		}},
		{path: []string{"lifecycle", "rebootPolicy"}, defaults: onRequest(), says: reboots("it")},
		{path: []string{"rollout", "rebootPolicy"}, defaults: onRequest(), says: reboots("each node, one after the other,")},
		{path: []string{"rollout", "replacePolicy"}, defaults: map[string]string{"": "WhenNeeded"}, says: map[string]string{
			"WhenNeeded": "an edit that needs new VMs replaces them by itself, one after the other",
			"OnRequest":  "an edit that needs new VMs leaves them as they are, until nodes.lifecycle.replace of each",
		}},
		{path: []string{"rollout", "drain"}, says: drains("the nodes are"), defaults: map[string]string{"": no}},
		{path: []string{"k3s", "drain"}, says: drains("the Node is")},
		{path: []string{"runsCrossplane"}, defaults: map[string]string{"": no}, says: map[string]string{
			yes: "the VM is never stopped, restarted or replaced from here: restart it in Proxmox",
			no:  "an edit or lifecycle.reboot may stop the VM, as any other",
		}},
		{path: []string{"lifecycle", "approval"}, says: map[string]string{
			"Never":  "edits take effect without anybody's approval",
			"OnRisk": "edits that stop, replace or destroy something wait until somebody approves them",
			"Always": "every edit waits until somebody approves it",
		}},
	}
}

func onRequest() map[string]string { return map[string]string{"": "OnRequest"} }

func reboots(what string) map[string]string {
	return map[string]string{
		"WhenNeeded": "an edit that needs a power cycle restarts " + what + " by itself",
		"OnRequest":  "an edit that needs a power cycle waits for lifecycle.reboot, or for a power cycle by hand",
	}
}

func drains(what string) map[string]string {
	return map[string]string{yes: what + " drained before each outage", no: "no outage waits for a drain"}
}

// decided is what an edit of a claim's policies decides for later, one sentence each: a plan would say nothing of them else.
func decided(kind string, was, is map[string]any) []string {
	var out []string

	for _, p := range policies() {
		before, now := p.of(kind, was), p.of(kind, is)
		if text := cmp.Or(p.says[kind+"/"+now], p.says[now]); before != now && text != "" {
			out = append(out, fmt.Sprintf("from then on %s (%s: %s)", text, "spec."+strings.Join(p.path, "."), now))
		}
	}

	return out
}

// decidedBy the edit of a story's claim.
func (r Renderer) decidedBy(s Story) []string {
	kind, namespace, name := r.Configuration.identity(s.Claim.Object)

	for _, o := range s.Observed {
		if k, ns, n := r.Configuration.identity(o); k != kind || ns != namespace || n != name {
			continue
		}

		was, _ := o.Object["spec"].(map[string]any)
		is, _ := s.Claim.Object.Object["spec"].(map[string]any)

		return decided(kind, was, is)
	}

	return nil
}

// of a spec: the value that counts, as it is printed; empty where nobody says one.
func (p policy) of(kind string, spec map[string]any) string {
	if v, said, _ := unstructured.NestedFieldNoCopy(spec, p.path...); said {
		return fmt.Sprint(v)
	}

	if v, own := p.defaults[kind]; own {
		return v
	}

	return p.defaults[""]
}
