package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestInOrderOfCluster(t *testing.T) {
	var errs field.ErrorList
	for _, p := range []string{"spec.nodes[0].ip", "spec.agents[1].class", "spec.servers.class", "spec.agents[0].template.zzz", "spec.agents[0].template.k3s", "spec.servers.class"} {
		errs = append(errs, field.Forbidden(field.NewPath(p), "x"))
	}

	var got []string
	for _, err := range InOrderOfCluster(errs) {
		got = append(got, err.Field)
	}

	want := []string{"spec.servers.class", "spec.agents[0].template.k3s", "spec.agents[0].template.zzz", "spec.agents[1].class", "spec.nodes[0].ip"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults come in the order of docs/api.md, each once: -want, +got:\n%s", diff)
	}

	if errs[0].Field != "spec.nodes[0].ip" {
		t.Error("InOrderOfCluster() sorts its caller's list")
	}
}

func TestFollows(t *testing.T) {
	guess := field.Forbidden(field.NewPath("spec.controlPlane"), "unknown field; did you mean spec.servers?")
	first := field.Forbidden(field.NewPath("spec.k3s.clusterInit"), "unknown field; did you mean spec.k3s.init?")
	number := field.Invalid(field.NewPath("spec.vlans").Index(0), field.OmitValueType{}, "must be an object with fields: write {tag: 100}, not 100")
	url := field.Forbidden(field.NewPath("spec.store.url"), "unknown field: the address of the server is address: https://bao")

	cases := map[string]struct {
		reason string
		fault  *field.Error
		want   bool
	}{
		"Instead":    {"Without what was meant it would be.", field.Required(field.NewPath("spec.k3s.server"), "is required, except with k3s.init: true"), true},
		"NotInstead": {"What was meant has another value.", field.Required(field.NewPath("spec.k3s.server"), "is required, except with k3s.init: false"), false},
		"Meant":      {"What is there by another name is not missing.", field.Required(field.NewPath("spec.servers"), ""), true},
		"OtherField": {"What nobody wrote is.", field.Required(field.NewPath("spec.cluster"), ""), false},
		"Below":      {"Nor is a field of what was meant, which nobody can tell.", field.Required(field.NewPath("spec.servers.count"), ""), false},
		"Wrong":      {"A value that is wrong is wrong.", field.Invalid(field.NewPath("spec.servers"), 3, ""), false},
		"NoObject":   {"A number has no fields.", field.Required(field.NewPath("spec.vlans").Index(0).Child("interface"), ""), true},
		"Neighbour":  {"Its neighbour has.", field.Required(field.NewPath("spec.vlans").Index(1).Child("interface"), ""), false},
		"Itself":     {"Nothing follows from itself.", number, false},
		"Written":    {"What to write in place of an unknown field has it.", field.Required(field.NewPath("spec.store.address"), ""), true},
		"NotWritten": {"It does not have this.", field.Required(field.NewPath("spec.store.files"), ""), false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Follows(field.ErrorList{guess, number, url, first}, tc.fault); got != tc.want {
				t.Errorf("%s: want %v, got %v", tc.reason, tc.want, got)
			}
		})
	}
}

func TestInOrder(t *testing.T) {
	paths := []string{
		"EnvironmentConfig machine-catalog: data.classes.small.memory", "spec.zzz", "spec.k3s.role", "spec.disks[10].name", "spec.disks[2].size", "spec.disks[2].name",
		"spec.proxmox.vlan", "spec.class", "metadata.name", "spec.network.dns[1]", "spec.network.ip", "spec.nix.flakeRef", "kind", "spec.k3s.labels.b", "spec.k3s.labels.a",
	}
	want := []string{
		"kind", "metadata.name", "spec.class", "spec.network.ip", "spec.network.dns[1]", "spec.proxmox.vlan", "spec.disks[2].name", "spec.disks[2].size", "spec.disks[10].name",
		"spec.nix.flakeRef", "spec.k3s.role", "spec.k3s.labels.a", "spec.k3s.labels.b", "spec.zzz", "EnvironmentConfig machine-catalog: data.classes.small.memory",
	}

	var errs field.ErrorList
	for _, p := range paths {
		errs = append(errs, field.Forbidden(field.NewPath(p), "x"))
	}

	var got []string
	for _, err := range InOrder(errs) {
		got = append(got, err.Field)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults come in the order of docs/api.md, the catalogue's last: -want, +got:\n%s", diff)
	}
}
