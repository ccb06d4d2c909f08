package claim

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// TestFormOfObjects: who writes a single value where an object is wanted is told what the object looks like, whichever object it is.
func TestFormOfObjects(t *testing.T) {
	t.Parallel()

	all := map[reflect.Type]bool{}

	var visit func(of reflect.Type)

	visit = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = of.Elem()
		}

		if of.Kind() != reflect.Struct || all[of] || reflect.PointerTo(of).Implements(reflect.TypeFor[json.Unmarshaler]()) {
			return
		}

		for f := range of.Fields() {
			visit(f.Type)
		}

		all[of] = true
	}

	// Of others only: nobody can write a value in place of one.
	embedded := map[string]bool{"MachineFields": true, "NodePool": true, "IPv4": true, "ProxmoxSiteInterface": true}

	for _, spec := range []any{
		v1alpha1.MachineSpec{}, v1alpha1.K3sNodeSpec{}, v1alpha1.K3sClusterSpec{}, v1alpha1.ContainerSpec{}, v1alpha1.ProxmoxSiteSpec{}, catalogue.Catalogue{},
	} {
		visit(reflect.TypeOf(spec))
	}

	for of := range all {
		if embedded[of.Name()] {
			continue
		}

		for _, typed := range []any{"two words", true} {
			faults := strict.Decode(field.NewPath("spec"), typed, reflect.New(of).Interface(), nil)
			if len(faults) != 1 || !strings.Contains(faults[0].Detail, "such as ") {
				t.Errorf("a %s in place of an object of type %s: want what it looks like (strict/form_table.go), got %v", reflect.TypeOf(typed), of.Name(), faults)
			}
		}
	}
}
