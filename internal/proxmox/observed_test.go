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
