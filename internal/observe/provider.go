package observe

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// Conditions of managed resources.
const (
	managedReady   = "Ready"
	reasonDeleting = "Deleting"
)

// A finding is an error that the provider reports of a managed resource.
type finding struct {
	row diagnose.Row

	name       string // Of the composed resource.
	kind       string
	apiVersion string
}

// findings are the errors that the provider reports, the VM's first, then by kind and name. class is the class of error
// that was reported before, NoError where there was none.
func findings(s proxmox.State, class string) []finding {
	return slices.Concat(
		findingsOf(s.VMs, proxmox.VMKind, class),
		findingsOf(s.Files, proxmox.FileKind, class),
		findingsOf(s.DownloadFiles, proxmox.DownloadFileKind, class),
	)
}

func findingsOf[P, S any](observed map[string]proxmox.Observed[P, S], kind, class string) []finding {
	var out []finding

	for _, name := range slices.Sorted(maps.Keys(observed)) {
		o := observed[name]
		if r, wrong := diagnose.Of(o, class); wrong {
			out = append(out, finding{row: r, name: name, kind: kind, apiVersion: o.APIVersion})
		}
	}

	return out
}

func isFalse(c proxmox.Condition) bool { return c.Status == "False" }

// providerHealthy is the condition on what the provider reports. Errors that a person must see to come first, and give
// the reason; the same error of several resources is told once.
func (s sight) providerHealthy() Condition {
	if len(s.findings) == 0 {
		return Condition{Type: TypeProviderHealthy, Status: status(true), Reason: ReasonNoError, Message: "The provider reports no error."}
	}

	sorted := urgentFirst(s.findings)
	texts := make([]string, 0, len(sorted))

	for i, f := range sorted {
		if slices.ContainsFunc(sorted[:i], f.same) {
			continue
		}

		text := affected(sorted, f) + ": " + s.fill(f.row.Meaning+" "+f.row.Remedy, f)
		if f.row.Retryable {
			text += " It is tried again by itself."
		}

		texts = append(texts, text)
	}

	return Condition{Type: TypeProviderHealthy, Status: status(false), Reason: sorted[0].row.Class, Message: strings.Join(texts, " ")}
}

// fill puts the machine's own names into a text of the table. What is not known stays as it is.
func (s sight) fill(text string, f finding) string {
	m := s.in.Machine
	known := map[string]string{
		"<node>": m.Placement.Node, "<site>": m.Placement.Site, "<image>": m.Boot.Image, "<machine>": m.Identity.Name,
		"<resource>": resource(f, m.Identity),
	}

	if id := s.vmID(); id != nil {
		known["<vmId>"] = strconv.FormatInt(*id, 10)
	} else if m.Placement.VMID != 0 {
		known["<vmId>"] = strconv.FormatInt(m.Placement.VMID, 10)
	}

	if node := s.node(); node != "" {
		known["<node>"] = node
	}

	for _, placeholder := range slices.Sorted(maps.Keys(known)) {
		if known[placeholder] != "" {
			text = strings.ReplaceAll(text, placeholder, known[placeholder])
		}
	}

	return text
}

// resource is a kind of managed resource as kubectl takes it. The group has to be there: the kinds of the provider's
// flavours have the same names.
func resource(f finding, id machine.Identity) string {
	group, _, _ := strings.Cut(f.apiVersion, "/")
	out := strings.ToLower(f.kind) + "s." + group

	if strings.HasSuffix(group, ".m.crossplane.io") && id.Namespace != "" {
		out += " -n " + id.Namespace
	}

	return out
}

// urgentFirst puts what does not pass by itself before what may.
func urgentFirst(all []finding) []finding {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b finding) int { return cmp.Compare(urgency(a), urgency(b)) })

	return out
}

func urgency(f finding) int {
	if f.row.Retryable {
		return 1
	}

	return 0
}

func (f finding) same(o finding) bool { return f.row.Name == o.row.Name && f.kind == o.kind }

// affected names the resources of one kind that have the same error.
func affected(all []finding, f finding) string {
	var names []string

	for _, o := range all {
		if f.same(o) {
			names = append(names, o.name)
		}
	}

	return strings.Join(names, ", ") + " (" + f.kind + ")"
}

// blocking are the errors that keep the VM from being as it should: its own, and, before it is made, those of what it is
// to be made from.
func (s sight) blocking() []finding {
	return slices.DeleteFunc(slices.Clone(s.findings), func(f finding) bool {
		_, wanted := s.in.Rendered.Manifests[f.name]
		return f.name != render.VMName && (s.made || !wanted)
	})
}
