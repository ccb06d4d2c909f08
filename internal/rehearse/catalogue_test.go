package rehearse

import (
	"bytes"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// ofCatalogue are the claims that live by the catalogues below.
var ofCatalogue = strings.Replace(aCluster, "replacePolicy: WhenNeeded", "maxUnavailable: 1", 1) + "---\n" + aMachine

// catalogueScenes are edits of the catalogue, by the golden of their rehearsal.
var catalogueScenes = map[string]struct {
	reason string
	edit   []string
	want   Outcome
}{
	"CatalogueImage":   {"Another default image is for new VMs: who replaces by hand is told, and a cluster that replaces does.", []string{"image: ubuntu-24.04,", "image: debian-12,"}, Waits},
	"CatalogueClass":   {"A larger class is there after a restart, of servers one after another, and of a machine when its owner says so.", []string{"server: {cores: 2", "server: {cores: 3"}, Waits},
	"CatalogueRenamed": {"Where the class of machines got another name, they keep their sizes.", []string{"    server: {", "    servers: {"}, Refused},
	"CatalogueBridge":  {"A bridge that no node has takes nobody's bridge away.", []string{"network: {bridge: vmbr0", "network: {bridge: vmbr1"}, Refused},
	"CatalogueLacks":   {"A bridge that a node has no more is taken from nobody, and who has it is warned.", []string{"pve3: *host", "pve3: {bridges: [vmbr1]}"}, Done},
	"CatalogueStorage": {"Another datastore is for new disks.", []string{"disks: local-zfs", "disks: ceph"}, Done},
	"CatalogueNode":    {"Who runs on a node without an entry stays there.", []string{"        pve3: *host\n", ""}, Done},
	"CatalogueRouter":  {"Guests that read their drive once keep the router that they know.", []string{"gateway: 192.168.4.1,", "gateway: 192.168.4.254,"}, Waits},
	"CatalogueServer":  {"Another address of the cluster is for new VMs.", []string{"k3s.home.arpa:6443", "api.home.arpa:6443"}, Waits},
}

// TestCatalogues: an edit of the catalogue is an edit of everything that lives by it.
func TestCatalogues(t *testing.T) {
	for name, tc := range catalogueScenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			catalogue := strings.NewReplacer(tc.edit...).Replace(aCatalogue)
			if catalogue == aCatalogue {
				t.Fatal("the catalogue is not edited")
			}

			was, is := sceneOf(t, ofCatalogue, preview.World{}), sceneWith(t, ofCatalogue, catalogue, preview.World{})
			in := Input{Assumed: Usual(), Memory: memory}

			for _, machine := range world.Keys(is) {
				before := was[machine]
				in.Machines = append(in.Machines, Machine{Name: machine, Was: &before, Is: is[machine]})
			}

			r := rehearsed(t, in)
			if r.Verdict.Outcome != tc.want || len(r.Verdict.Faults) > 0 || !r.Before.Rests || len(r.Sums.Destroyed)+len(r.Sums.DataDestroyed) > 0 {
				t.Errorf("%s Want %s, got %+v", tc.reason, tc.want, r.Verdict)
			}

			text := &bytes.Buffer{}
			if err := r.Text(text); err != nil {
				t.Fatal(err)
			}

			golden(t, name+".txt", text.Bytes())
		})
	}
}
