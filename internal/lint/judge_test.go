package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A strictJudge refuses everything for the same faults.
type strictJudge field.ErrorList

func (j strictJudge) Refuse(map[string]any, proxmox.Flavour) field.ErrorList {
	return field.ErrorList(j)
}

func TestJudge(t *testing.T) {
	document := aMachine("proxmox: {node: pve, vlan: 5000}\ntags: [a]")
	judge := strictJudge{
		field.Invalid(field.NewPath("spec", "proxmox", "vlan"), 5000, "spec.proxmox.vlan in body should be less than or equal to 4094"),
		field.Invalid(field.NewPath("spec", "proxmox"), map[string]any{}, "a rule on the whole object"),
		field.Invalid(field.NewPath("spec", "tags").Index(0), "a", "is too short for this judge"),
		field.Invalid(field.NewPath("<nil>"), "", "spec.tags in body must be of another type"),
	}

	report := Check([]manifest.Raw{{File: "claim.yaml", Documents: manifest.RawDocuments([]byte(document))}}, nil, Options{Judge: judge})

	var got []string
	for _, f := range report.Faults {
		got = append(got, f.String())
	}

	// What the function names in its own words is not said again in the API server's.
	want := []string{
		"claim.yaml:5:30: spec.proxmox.vlan: 5000: must be a whole number from 1 to 4094",
		"claim.yaml:6:10: spec.tags[0]: \"a\": is too short for this judge",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestAClaimThatRepeatsTheDefaultFirewall is not useless: a guest that was made before the default has its firewall from the claim alone.
func TestAClaimThatRepeatsTheDefaultFirewall(t *testing.T) {
	files := []manifest.Raw{{File: "all.yaml", Documents: manifest.RawDocuments([]byte(
		environment("defaults: {firewall: {preset: ssh}, sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cZ3m1H0f1l0a3mQ0k6r3Vn1bq8o4J9yM2s7u1xKzP]}\nsites:\n  home: {nodes: {pve: {}}}") +
			"---\n" + aMachine("class: small\nproxmox: {site: home, node: pve}\nfirewall: {preset: ssh}")))}}

	if faults := Check(files, nil, Options{}).Faults; len(faults) > 0 {
		t.Errorf("got %v", faults)
	}
}

func TestUnused(t *testing.T) {
	catalogue := environment("defaults: {class: small, site: home}\nclasses:\n  small: {cores: 2, memory: 4Gi, disk: 30Gi}\n  big: {cores: 8, memory: 4Gi, disk: 30Gi}\n" +
		"images:\n  mine: {template: 9000}\n  debian-13: {template: 9001}\nsites:\n  home: {nodes: {pve: {}}}\n  work: {nodes: {pve: {}}}")
	files := []manifest.Raw{
		{File: "catalogue.yaml", Documents: manifest.RawDocuments([]byte(catalogue))},
		{File: "claim.yaml", Documents: manifest.RawDocuments([]byte(aMachine("image: debian-13\nproxmox: {node: pve}\nbootstrap: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cZ3m1H0f1l0a3mQ0k6r3Vn1bq8o4J9yM2s7u1xKzP]}")))},
	}

	var got []string
	for _, f := range Check(files, nil, Options{Unused: true}).Faults {
		if f.File == "catalogue.yaml" {
			got = append(got, f.Path)
		}
	}

	if diff := cmp.Diff([]string{"data.classes.big", "data.images.mine", "data.sites.work"}, got); diff != "" {
		t.Errorf("entries that no claim uses: -want, +got:\n%s", diff)
	}

	if faults := Check(files[:1], nil, Options{Unused: true}).Faults; len(faults) > 0 {
		t.Errorf("without a claim, nobody can tell what is used: %v", faults)
	}
}
