package controlplane

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// machine is the VM that the machine has now, the newest of its own; nil if there is none.
func (b *biography) machine() *standin.VM {
	for _, id := range slices.Backward(b.ids) {
		if vm := b.world.VM(id); vm != nil {
			return vm
		}
	}

	return nil
}

func kindsOf(all []*unstructured.Unstructured) map[types.UID]string {
	out := map[types.UID]string{}
	for _, m := range all {
		out[m.GetUID()] = m.GetKind()
	}

	return out
}

// without are the kinds of what is in one of them only.
func without(all, others map[types.UID]string) []string {
	out := []string{}

	for uid, kind := range all {
		if _, ok := others[uid]; !ok {
			out = append(out, kind)
		}
	}

	return sorted(out)
}

func sorted(in []string) []string {
	out := append([]string{}, in...)
	slices.Sort(out)

	return out
}

// hash in the name of a snippet.
var hash = regexp.MustCompile(`-([0-9a-f]{10}|[0-9a-f]{32})\.`)

// isAbout says whether a line of the journal is about a VM or a container.
func isAbout(line string, id int) bool {
	what, _, _ := strings.Cut(line, ":")

	return strings.Contains(what+" ", fmt.Sprintf("VM %d ", id)) || strings.Contains(what+" ", fmt.Sprintf("container %d ", id))
}

// isAboutPart says whether a line of the journal is about an interface or a pool.
func isAboutPart(line, part string) bool {
	what, _, _ := strings.Cut(line, ": ")

	return strings.HasSuffix(what, " "+part)
}

// journal is what was written to Proxmox about this machine since the last step: what VMs were told, in order, and then
// its files, sorted and without the hashes in their names. What was told twice in a row is here once: it is quiet that counts.
func (b *biography) journal() []string {
	vms, files := []string{}, []string{}

	for _, line := range b.world.Journal()[b.written:] {
		switch {
		case slices.ContainsFunc(b.ids, func(id int) bool { return isAbout(line, id) }):
			vms = append(vms, line)
		case slices.ContainsFunc(b.parts, func(part string) bool { return isAboutPart(line, part) }):
			files = append(files, line)
		case strings.Contains(line, "snippets/"+b.claim.GetName()+"-"):
			files = append(files, hash.ReplaceAllString(line, "-*."))
		}
	}

	return append(slices.Compact(vms), sorted(files)...)
}
