package proxmox

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
)

// TestStateSaysWhichResourceCannotBeRead, and where, since a person has to find it.
func TestStateSaysWhichResourceCannotBeRead(t *testing.T) {
	vm, err := structpb.NewStruct(map[string]any{"kind": VMKind, "spec": map[string]any{"forProvider": map[string]any{"vmId": "x"}}})
	if err != nil {
		t.Fatal(err)
	}

	_, err = ReadState(map[string]*structpb.Struct{"vm": vm})
	if err == nil || !strings.Contains(err.Error(), `"vm"`) || !strings.Contains(err.Error(), "vmId") {
		t.Errorf("ReadState(): %v", err)
	}
}

// TestController of a managed resource is the composite that composes it, whatever an outer composite's label says.
func TestController(t *testing.T) {
	label := Metadata{Labels: map[string]string{CompositeLabel: "home"}}

	cases := map[string]struct {
		reason string
		of     ObservedMetadata
		want   string
	}{
		"OfAClaim":     {"The label and the controller are one.", ObservedMetadata{Metadata: label, OwnerReferences: []OwnerReference{{Name: "home", Controller: true}}}, "home"},
		"OfANode":      {"The label is the cluster's.", ObservedMetadata{Metadata: label, OwnerReferences: []OwnerReference{{Name: "home-server-0", Controller: true}}}, "home-server-0"},
		"OtherOwner":   {"An owner that is not the controller composed nothing.", ObservedMetadata{Metadata: label, OwnerReferences: []OwnerReference{{Name: "x", Controller: false}, {Name: "home-server-0", Controller: true}}}, "home-server-0"},
		"NoController": {"Restored from a backup, it has its labels alone.", ObservedMetadata{Metadata: label, OwnerReferences: []OwnerReference{{Name: "x", Controller: false}}}, ""},
		"Nothing":      {"Nobody's.", ObservedMetadata{}, ""},
	}

	for name, tc := range cases {
		if got := tc.of.Controller(); got != tc.want {
			t.Errorf("%s: %s\nController(): got %q, want %q", name, tc.reason, got, tc.want)
		}
	}
}
