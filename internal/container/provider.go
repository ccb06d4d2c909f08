package container

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// A finding is an error that the provider reports of a managed resource.
type finding struct {
	row        diagnose.Row
	name, kind string
	apiVersion string
	// node that it is about; empty for the claim's.
	node string
}

// errorsOf are the errors that the provider reports, the container's first. What a check of a VMID finds is no error.
func errorsOf(p Plan) []finding {
	var out []finding

	for _, name := range sorted(p.Observed.Containers) {
		o := p.Observed.Containers[name]
		if r, wrong := diagnose.Of(o, ""); wrong && !(o.ObserveOnly() && o.FoundNone()) {
			out = append(out, finding{row: r, name: name, kind: proxmox.ContainerKind, apiVersion: o.APIVersion, node: o.Spec.ForProvider.NodeName})
		}
	}

	slices.SortStableFunc(out, func(a, b finding) int {
		switch {
		case a.name == Name:
			return -1
		case b.name == Name:
			return 1
		}

		return 0
	})

	for _, name := range sorted(p.Observed.VMs) {
		o := p.Observed.VMs[name]
		if r, wrong := diagnose.Of(o, ""); wrong {
			out = append(out, finding{row: r, name: name, kind: proxmox.VMKind, apiVersion: o.APIVersion})
		}
	}

	for _, name := range sorted(p.Observed.DownloadFiles) {
		o := p.Observed.DownloadFiles[name]
		if r, wrong := diagnose.Of(o, ""); wrong && !proxmox.AlreadyPresent(o) {
			out = append(out, finding{row: r, name: name, kind: proxmox.DownloadFileKind, apiVersion: o.APIVersion})
		}
	}

	return append(out, firewallErrors(p)...)
}

// provider is the condition on what the provider reports.
func (t reporter) provider() status.Condition {
	c := status.Condition{Type: status.TypeProviderHealthy, Status: metav1.ConditionTrue, Reason: status.ReasonNoError, Message: "The provider reports no error."}
	if len(t.errors) == 0 {
		return c
	}

	sorted := slices.Clone(t.errors)
	slices.SortStableFunc(sorted, func(a, b finding) int { return urgency(a) - urgency(b) })

	var texts []string

	for _, f := range sorted {
		text := f.row.Meaning + " " + f.row.Remedy
		if f.row.Retryable {
			text += " The provider retries automatically."
		}

		texts = append(texts, f.name+" ("+f.kind+"): "+t.fill(text, f))
	}

	c.Status, c.Reason, c.Message = metav1.ConditionFalse, sorted[0].row.Class, strings.Join(texts, " ")

	return c
}

func urgency(f finding) int {
	if f.row.Retryable {
		return 1
	}

	return 0
}

// fill puts the container's own names into a text of the table of errors.
func (t reporter) fill(text string, f finding) string {
	m := t.Container
	resource := proxmox.ResourceOf(f.apiVersion, f.kind)

	if namespaced := proxmox.InNamespaces(f.apiVersion, f.kind); namespaced || m.Identity.Namespace == "" {
		text = strings.ReplaceAll(text, ",homelab.io/namespace=<namespace>", "")

		if namespaced && m.Identity.Namespace != "" {
			resource += " -n " + m.Identity.Namespace
		}
	}

	pairs := []string{"<machine>", m.Identity.Name, "<resource>", resource, "<node>", cmp.Or(f.node, m.Placement.Node), "<vmId>", strconv.FormatInt(VMIDOf(m), 10)}

	for placeholder, value := range map[string]string{"<site>": m.Placement.Site, "<image>": m.Boot.Image, "<namespace>": m.Identity.Namespace} {
		if value != "" {
			pairs = append(pairs, placeholder, value)
		}
	}

	return strings.NewReplacer(pairs...).Replace(text)
}

// firewallErrors are the errors that the provider reports of the container's own firewall.
func firewallErrors(p Plan) []finding {
	return append(errorsIn(p.Observed.Firewalls.Options, proxmox.FirewallOptionsKind), errorsIn(p.Observed.Firewalls.Rules, proxmox.FirewallRulesKind)...)
}

func errorsIn[P, S any](observed map[string]proxmox.Observed[P, S], kind string) []finding {
	var out []finding

	for _, name := range sorted(observed) {
		o := observed[name]
		if r, wrong := diagnose.Of(o, ""); wrong {
			out = append(out, finding{row: ofContainer(r), name: name, kind: kind, apiVersion: o.APIVersion})
		}
	}

	return out
}

// ofContainer is a row about the firewall of a VM with the container in the VM's place.
func ofContainer(r diagnose.Row) diagnose.Row {
	words := strings.NewReplacer("VM <vmId>", "container <vmId>", "(VM, Firewall)", "(CT, Firewall)", "the VM's firewall", "the container's firewall")
	r.Meaning, r.Remedy = words.Replace(r.Meaning), words.Replace(r.Remedy)

	return r
}
