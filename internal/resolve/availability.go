package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// defaultAttempts is Proxmox's default of max_restart and max_relocate (PVE::HA::Resources).
const defaultAttempts = 1

// availability resolves what Proxmox's HA manager does for the VM.
type availability struct {
	g     *given
	n     *notes
	m     *machine.Machine // With image, place and disks.
	image catalog.Image
	l     located
}

// resolve spec.ha, and refuse a VM that could not start on another node.
func (r availability) resolve() *machine.HA {
	ha := r.g.spec.HA
	if ha == nil || ha.Enabled == nil || !*ha.Enabled {
		return nil
	}

	out := &machine.HA{MaxRestart: defaultAttempts, MaxRelocate: defaultAttempts, Shared: r.l.site.SharedDatastores}
	if ha.MaxRestart != nil {
		out.MaxRestart = *ha.MaxRestart
	}

	if ha.MaxRelocate != nil {
		out.MaxRelocate = *ha.MaxRelocate
	}

	r.warnFewNodes()

	// Nobody knows the site's datastores: the site is a fault itself, or the VM keeps what it has without a catalogue.
	if r.l.unknown || r.n.hasKept(machine.PartSite) {
		return out
	}

	// The provider can take a VM for gone that moves while it is read, and tries to create it: Proxmox refuses that, but the provider writes an image of
	// this type to the boot disk all the same. Of an adopted VM it knows no image.
	if r.m.Boot.Source == machine.SourceDiskFile && !r.g.existing.Adopting {
		r.n.add(field.Invalid(imageAt(r.g, r.image), message.Excerpt(r.m.Boot.Volume), "with ha, the image must be a volume of content type import, a URL or a template: "+
			"if the provider reads the VM while HA moves it, it could write an image of content type iso to the boot disk once more"))
	}

	for _, u := range r.stored() {
		if u.name != "" && !slices.Contains(r.l.site.SharedDatastores, u.name) {
			r.n.add(field.Invalid(u.at, typedAt(u.at, u.name), fmt.Sprintf("with ha, %s must be on a datastore that all nodes of the site see, %s",
				u.what, r.notShared(u.name))))
		}
	}

	return out
}

// typedAt is what a person typed where a datastore is at fault: the datastore itself, or that HA is on.
func typedAt(at *field.Path, datastore string) any {
	if strings.HasSuffix(at.String(), ".ha.enabled") {
		return true
	}

	return message.Excerpt(datastore)
}

// warnFewNodes: Proxmox's HA manager starts nothing without the cluster's quorum, which one of two nodes does not have (pvecm, "Corosync External
// Vote Support").
func (r availability) warnFewNodes() {
	switch len(r.l.site.Nodes) {
	case 1:
		r.n.warn("spec.ha: site %s has one node in the catalogue, so there is no other one that could start the VM.", message.Excerpt(r.m.Placement.Site))
	case 2:
		r.n.warn("spec.ha: site %s has two nodes in the catalogue. When one of them fails, the other has no quorum: it starts nothing, and a node with HA resources restarts "+
			"itself. Add a third vote, for instance a QDevice (`pvecm qdevice setup`); if there is one, ignore this.", message.Excerpt(r.m.Placement.Site))
	}
}

// notShared says why a datastore does not count as one that all nodes see, and what would be right.
func (r availability) notShared(datastore string) string {
	site, names := message.Excerpt(r.m.Placement.Site), r.l.site.SharedDatastores
	told := r.g.catalog.Told(catalog.KindDatastore, r.m.Placement.Site, names)

	switch {
	case site == "":
		return "and only sharedDatastores of a site in the catalogue says which ones do: name a site (proxmox.site, or defaults.site in the catalogue), or remove ha"
	case len(names) == 0:
		return "and site '" + site + "' has no sharedDatastores: list '" + message.Excerpt(datastore) + "' there, in the catalogue, if all nodes see it, or remove ha"
	}

	return fmt.Sprintf("and '%s' is not among sharedDatastores of site '%s': it has %s. Use such a datastore, add the name to sharedDatastores in the catalogue if "+
		"all nodes see it, or remove ha", message.Excerpt(datastore), site, message.Excerpt(cmp.Or(strings.Join(told, ", "), "others")))
}

// A stored part of a VM is on a datastore that the VM reads as long as it exists.
type stored struct {
	name string // Of the datastore.
	what string // In words.
	at   *field.Path
}

// stored parts of the VM: disks, cloud-init drive, snippets, and the medium in its CD drive. The path is the field with which the person named the
// datastore, or ha where the claim leaves the datastore to the catalogue.
func (r availability) stored() []stored {
	ha := r.g.at.Child("ha", "enabled")
	disks := stored{name: r.m.Placement.DiskDatastore, what: "the VM's boot disk", at: ha}

	if r.m.Boot.CloudInit {
		disks.what = "the VM's boot disk and cloud-init drive"
	}

	if r.g.spec.Proxmox.Storage != "" {
		disks.at = r.g.at.Child("proxmox", "storage")
	}

	// An adopted VM has its disk: which datastore that is on is known of the VM alone.
	out := []stored{}
	if !r.g.existing.Adopting || r.g.existing.DiskDatastore != "" || r.g.spec.Proxmox.Storage != "" {
		out = append(out, disks)
	}

	for i, d := range r.g.spec.Disks {
		if d.Storage != "" {
			out = append(out, stored{name: d.Storage, what: "data disk '" + message.Excerpt(d.Name) + "'", at: r.g.at.Child("disks").Index(i).Child("storage")})
		}
	}

	if v, err := catalog.ParseVolume(r.m.Boot.Volume); err == nil && r.m.Boot.Source == machine.SourceISO {
		out = append(out, stored{name: v.Datastore, what: "the installation medium in the VM's CD drive", at: imageAt(r.g, r.image)})
	}

	return append(out, r.storedSnippets()...)
}

// storedSnippets are the datastores of the snippets that the VM reads at every start.
func (r availability) storedSnippets() []stored {
	var out []stored

	if r.g.existing.Adopting {
		return nil
	}

	if needsSnippets(r.g, r.m.Boot) || r.installsAgent() {
		out = append(out, stored{name: r.m.Placement.SnippetDatastore, what: "the VM's cloud-init snippets", at: r.g.at.Child("ha", "enabled")})
	}

	for _, snippet := range claimedSnippets(r.g) {
		if datastore, _, ok := strings.Cut(snippet.name, ":"); ok {
			out = append(out, stored{name: datastore, what: "the snippet", at: snippet.at})
		}
	}

	return out
}

// installsAgent says whether a machine with user-data from Proxmox gets a snippet that installs the guest agent.
func (r availability) installsAgent() bool {
	os, s := r.m.Boot.OS, r.g.spec.Bootstrap.Snippets
	linux := os == machine.OSDebian || os == machine.OSUbuntu

	return r.m.Boot.CloudInit && !r.m.Boot.GuestAgent && linux && orTrue(r.g.spec.Bootstrap.GuestAgent) && r.m.Placement.SnippetSource == machine.SnippetsNamed &&
		s.UserData == "" && s.VendorData == ""
}
