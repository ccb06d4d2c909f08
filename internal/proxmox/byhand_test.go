package proxmox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPutBack holds what a managed resource is taken for that somebody edited: its external name, and its management policies.
func TestPutBack(t *testing.T) {
	t.Parallel()

	const question = true // The function may have written the resource as a question that the provider can only refuse.

	type want struct {
		Name     string
		Policies []string
	}

	all, creates := Policies(DeletionOrphans), CreatePolicies()

	cases := map[string]struct {
		reason                  string
		name, label, read, note string
		policies                []string
		question                bool
		want                    want
	}{
		"Untouched":      {reason: "Nobody edited it.", name: "100", label: "100", read: "100", policies: all, want: want{"100", all}},
		"New":            {reason: "Proxmox chose the VMID, and the label follows.", name: "100", read: "100", policies: all, want: want{"100", all}},
		"NoName":         {reason: "It comes back.", label: "100", read: "100", policies: all, want: want{"100", all}},
		"NoNameUnread":   {reason: "The label is enough.", label: "100", policies: all, want: want{"100", all}},
		"AnotherName":    {reason: "The provider has read what the label names.", name: "777", label: "100", read: "100", policies: all, want: want{"100", all}},
		"ReadAnother":    {reason: "The provider has read what the name names: it is that guest by now.", name: "777", label: "100", read: "777", policies: all, want: want{"777", all}},
		"AnotherUnread":  {reason: "Nobody knows which one it is: the provider goes by the name.", name: "777", label: "100", policies: all, want: want{"777", all}},
		"AnotherLabel":   {reason: "A label makes no other guest.", name: "100", label: "777", read: "100", policies: all, want: want{"100", all}},
		"SeenInCheck":    {reason: "The check of a VMID before saw another VM.", name: "101", label: "101", read: "100", policies: creates, want: want{"101", creates}},
		"Observe":        {reason: "It is no look for a VMID.", name: "100", label: "100", read: "100", policies: ObserveOnly(), want: want{"100", all}},
		"ObserveCreates": {reason: "What is being made may not be changed yet.", name: "100", label: "100", note: CreatingAnnotation, policies: ObserveOnly(), want: want{"100", creates}},
		"Question":       {reason: "Releases of the provider that name no generation are asked for a VMID without a node.", name: "100", label: "100", policies: ObserveOnly(), question: question, want: want{"100", ObserveOnly()}},
		"Look":           {reason: "An import.", name: "pve/100", label: "100", read: "100", policies: ObserveOnly(), want: want{"pve/100", ObserveOnly()}},
		"Reserves":       {reason: "It stands for a VM that does not exist.", policies: ObserveOnly(), want: want{"", ObserveOnly()}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			vm := ObservedVM{Metadata: ObservedMetadata{Metadata: Metadata{Labels: map[string]string{}, Annotations: map[string]string{}}}}
			vm.Spec.ManagementPolicies = tc.policies

			for annotation, value := range map[string]string{ExternalNameAnnotation: tc.name, tc.note: "x"} {
				if annotation != "" && value != "" {
					vm.Metadata.Annotations[annotation] = value
				}
			}

			if tc.label != "" {
				vm.Metadata.Labels[VMIDLabel] = tc.label
			}

			putBack(&vm, tc.read, tc.question)

			if diff := cmp.Diff(tc.want, want{vm.Metadata.ExternalName(), vm.Spec.ManagementPolicies}); diff != "" {
				t.Errorf("%s\nputBack(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
