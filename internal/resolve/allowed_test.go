package resolve

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

const (
	noTemplate4101 = "spec.image: Forbidden: no image of the catalogue is template 4101, and data.sites.home.images is Strict; "
	nobodys4101    = "spec.image: Forbidden: no image of the catalogue is template 4101, and who clones a VM that is none reads all that is on its disks; "
	aDisk          = " is a disk of a VM or a container, and who copies it reads all that is on it. Use an image of the catalogue; "
)

// TestImagesOfAClaim: a claim copies no disk that may be somebody else's.
func TestImagesOfAClaim(t *testing.T) {
	const images = `images: {nixos: {template: 9000, templateDisk: scsi0}, near: {template: 9001, templateNode: other}, mine: {volume: "local:import/mine.qcow2"}}`

	site := func(images string) string { return `sites: {home: {` + images + `nodes: {pve: {}}}}` }

	type want struct {
		Fault   string
		Warning bool // Beside the one that the boot disk of a template is assumed.
		Unnamed bool
	}

	const (
		number = `{image: 4101, proxmox: {site: home, node: pve}}`
		file   = `{image: "local:import/x.raw", proxmox: {site: home, node: pve}}`
		nosite = `{image: 4101, proxmox: {node: pve}}`
	)

	cases := map[string]struct {
		reason    string
		spec      string
		catalogue string
		existing  Existing
		want      want
	}{
		"Number":       {reason: "It may be a VM that somebody made by hand.", spec: number, catalogue: site(""), want: want{Fault: nobodys4101}},
		"NumberOpen":   {reason: "The platform wants it so; others' VMs are compared all the same.", spec: number, catalogue: site("images: Open, "), want: want{Unnamed: true}},
		"NumberStrict": {reason: "It may be anybody's VM.", spec: number, catalogue: site("images: Strict, "), want: want{Fault: noTemplate4101}},
		"Named":        {reason: "The catalogue has it.", spec: `{image: 9000, proxmox: {site: home, node: pve}}`, catalogue: site("images: Strict, ")},
		"NamedZeros":   {reason: "The same number.", spec: `{image: "09000", proxmox: {site: home, node: pve}}`, catalogue: site("images: Strict, ")},
		"NamedAway":    {reason: "That template is on a node of another site.", spec: `{image: 9001, proxmox: {site: home, node: pve}}`, catalogue: site("images: Strict, "), want: want{Fault: "spec.image: Forbidden: no image of the catalogue is template 9001, and data.sites.home.images is Strict; "}},
		"ByName":       {reason: "An image of the catalogue.", spec: `{image: nixos, proxmox: {site: home, node: pve}}`, catalogue: site("images: Strict, ")},
		"Volume":       {reason: "No break for honest users, and a word on it.", spec: file, catalogue: site(""), want: want{Warning: true}},
		"VolumeOpen":   {reason: "As a number.", spec: file, catalogue: site("images: Open, ")},
		"VolumeStrict": {reason: "As a number.", spec: file, catalogue: site("images: Strict, "), want: want{Fault: "spec.image: Forbidden: no image of the catalogue is volume local:import/x.raw, and data.sites.home.images is Strict; "}},
		"VolumeNamed":  {reason: "The catalogue has it.", spec: `{image: "local:import/mine.qcow2", proxmox: {site: home, node: pve}}`, catalogue: site("images: Strict, ")},
		"DiskOfAVM":    {reason: "It is somebody's disk, whatever the site says.", spec: `{image: "local:4101/vm-4101-disk-0.qcow2", proxmox: {site: home, node: pve}}`, catalogue: site("images: Open, "), want: want{Fault: "spec.image: Forbidden: local:4101/vm-4101-disk-0.qcow2" + aDisk}},
		"Base":         {reason: "So is that of a template.", spec: `{image: "local:9000/base-9000-disk-0.qcow2", proxmox: {site: home, node: pve}}`, catalogue: site(""), want: want{Fault: "spec.image: Forbidden: local:9000/base-9000-disk-0.qcow2" + aDisk}},
		"NoSite":       {reason: "To name no site is no way around the site.", spec: nosite, catalogue: `sites: {lab: {}, home: {images: Strict}}, defaults: {site: home}`, want: want{Fault: noTemplate4101}},
		"NoDefault":    {reason: "There is one site, and its Proxmox is the one that the claim reaches.", spec: nosite, catalogue: `sites: {home: {images: Strict}}`, want: want{Fault: noTemplate4101}},
		"OtherProxmox": {reason: "The site is another Proxmox.", spec: nosite, catalogue: `sites: {home: {images: Strict, providerConfig: away}}`, want: want{Fault: nobodys4101}},
		"NoCatalogue":  {reason: "Nobody said that it is for others.", spec: nosite, catalogue: ``, want: want{Fault: nobodys4101}},
		"DefaultImage": {reason: "The platform's word.", spec: `{proxmox: {site: home, node: pve}}`, catalogue: site("images: Strict, ") + `, defaults: {image: "4101"}`},
		"Living":       {reason: "What is there stays.", spec: number, catalogue: site("images: Strict, "), existing: Existing{Node: "pve", Has: &Entries{}}},
		"LivingNumber": {reason: "A clone lives on.", spec: number, catalogue: site(""), existing: Existing{Node: "pve", Has: &Entries{}}},
		"LivingDisk":   {reason: "What is there stays.", spec: `{image: "local:4101/vm-4101-disk-0.qcow2", proxmox: {site: home, node: pve}}`, catalogue: site(""), existing: Existing{Node: "pve", Has: &Entries{}}},
		"Adopting":     {reason: "Nothing is copied.", spec: `{image: 4101, proxmox: {site: home, node: pve}, adopt: {vmId: 4300}}`, catalogue: site("images: Strict, "), existing: Existing{Adopting: true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			document := `{` + images
			if tc.catalogue != "" {
				document += ", " + tc.catalogue
			}

			m, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, document+"}"), tc.existing)

			var got want
			if len(errs) > 0 {
				got.Fault = errs.ToAggregate().Error()
			}

			if m != nil {
				got.Warning = slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.Contains(w, "Strict, which refuses all others") })
				got.Unnamed = m.Boot.Template != nil && m.Boot.Template.Unnamed
			}

			if len(tc.want.Fault) > 0 && len(got.Fault) > len(tc.want.Fault) {
				got.Fault = got.Fault[:len(tc.want.Fault)] // What there is instead, follows.
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s\n%v", tc.reason, diff, errs)
			}
		})
	}
}

// TestTemplateOfAContainer: container templates that nobody named are refused by a strict site only.
func TestTemplateOfAContainer(t *testing.T) {
	cases := map[string]struct {
		reason   string
		images   string
		existing Existing
		want     bool
	}{
		"Unsaid": {reason: "docs/containers.md shows it."},
		"Strict": {reason: "The catalogue names all that there is.", images: "Strict", want: true},
		"Living": {reason: "What is there stays.", images: "Strict", existing: Existing{Node: "pve", Has: &Entries{}, Container: true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := aClaim(t, claim.KindContainer, `{image: "local:vztmpl/debian-12.tar.zst", class: small, proxmox: {site: home, node: pve, vmId: 150}}`)

			document := `{sites: {home: {nodes: {pve: {}}}}}`
			if tc.images != "" {
				document = `{sites: {home: {images: ` + tc.images + `, nodes: {pve: {}}}}}`
			}

			_, errs := Container(machine.Identity{Name: "c"}, *c.Container, c.Faults, aCatalog(t, document), tc.existing)
			if got := len(errs) == 1 && errs[0].Field == "spec.image"; got != tc.want || !tc.want && len(errs) > 0 {
				t.Errorf("%s\nContainer(...): want refused %t, got %v", tc.reason, tc.want, errs)
			}

			// Images of VMs, such as debian-13, are no choice.
			if tc.want && (strings.Contains(errs[0].Detail, "debian-13") || !strings.Contains(errs[0].Detail, "images: {debian-12-ct: ")) {
				t.Errorf("%s\nContainer(...): want the templates that there are, got %s", tc.reason, errs[0].Detail)
			}
		})
	}
}

// TestPrivilegedContainer: root in it is root on the node.
func TestPrivilegedContainer(t *testing.T) {
	type want struct{ Refused, Warned bool }

	cases := map[string]struct {
		reason   string
		spec     string
		site     string
		existing Existing
		want     want
	}{
		"Unsaid":    {reason: "No break, and a word on it.", spec: "unprivileged: false", want: want{Warned: true}},
		"Allowed":   {reason: "The platform's word.", spec: "unprivileged: false", site: "privileged: true, "},
		"Forbidden": {reason: "The platform's word.", spec: "unprivileged: false", site: "privileged: false, ", want: want{Refused: true}},
		"Default":   {reason: "It is none.", spec: "unprivileged: true", site: "privileged: false, "},
		"Living":    {reason: "What is there stays.", spec: "unprivileged: false", site: "privileged: false, ", existing: Existing{Node: "pve", Has: &Entries{}, Container: true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := aClaim(t, claim.KindContainer, `{image: "local:vztmpl/debian-12.tar.zst", class: small, proxmox: {site: home, node: pve, vmId: 150}, `+tc.spec+`}`)
			m, errs := Container(machine.Identity{Name: "c"}, *c.Container, c.Faults, aCatalog(t, `{sites: {home: {`+tc.site+`nodes: {pve: {}}}}}`), tc.existing)

			got := want{Refused: len(errs) == 1 && errs[0].Field == "spec.unprivileged"}
			if m != nil {
				got.Warned = slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.HasPrefix(w, "spec.unprivileged: root in") })
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nContainer(...): -want, +got:\n%s\n%v", tc.reason, diff, errs)
			}
		})
	}
}
