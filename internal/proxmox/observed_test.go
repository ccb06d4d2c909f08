package proxmox

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestObservedFigures keeps the list of keys and the models of what is read the same.
func TestObservedFigures(t *testing.T) {
	var want []string

	for _, model := range []any{VMObservation{}, FileObservation{}} {
		for i := range reflect.TypeOf(model).NumField() {
			key, _, _ := strings.Cut(reflect.TypeOf(model).Field(i).Tag.Get("json"), ",")
			if !slices.Contains(want, key) {
				want = append(want, key)
			}
		}
	}

	if diff := cmp.Diff(want, ObservedFigures()); diff != "" {
		t.Errorf("ObservedFigures(): -want, +got:\n%s", diff)
	}
}

// TestStateSaysWhichResourceCannotBeRead, since a person has to find it.
func TestStateSaysWhichResourceCannotBeRead(t *testing.T) {
	_, err := ReadState(map[string]map[string]any{"vm": {"kind": VMKind, "spec": map[string]any{"forProvider": map[string]any{"vmId": "x"}}}})
	if err == nil || !strings.Contains(err.Error(), `"vm"`) {
		t.Errorf("ReadState(): %v", err)
	}
}
