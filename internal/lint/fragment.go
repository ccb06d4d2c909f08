package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// fragment is the fault of a part of a claim that somebody copied alone, with its spec or without: what has neither apiVersion nor kind, and fields of a spec.
// Other people's files have words such as network and size, too, so that of fields without a spec only the file says something that is linted alone, or
// the word proxmox; and what a site of the catalogue has may be a part of one.
func fragment(o object, alone bool) []Fault {
	spec, under := o.value["spec"].(map[string]any)
	fields := slices.Sorted(maps.Keys(spec))

	if !under {
		fields = slices.DeleteFunc(slices.Sorted(maps.Keys(o.value)), func(name string) bool { return name == "name" || name == "namespace" })
		site := strict.FieldNames(v1alpha1.Site{})

		if !alone && !slices.Contains(fields, "proxmox") || !slices.ContainsFunc(fields, func(name string) bool { return !slices.Contains(site, name) }) {
			return nil
		}
	}

	kinds := slices.DeleteFunc(claim.Kinds(), func(kind string) bool {
		return slices.ContainsFunc(fields, func(name string) bool { return !slices.Contains(claim.KindsWith(name), kind) })
	})
	if o.kind() != "" || o.value["apiVersion"] != nil || o.value["metadata"] != nil || len(kinds) == 0 || len(fields) == 0 {
		return nil
	}

	text := fmt.Sprintf("is a part of a claim: begin the file with apiVersion: %s, metadata: {name: %s} and kind: %s",
		apiVersion, example(o.value["name"], "dns01"), message.OneOf(kinds))
	at := "spec"

	if !under {
		text, at = text+"; then spec:, and below it this, indented by two", fields[0]
	}

	return []Fault{o.fault(keyOf(o.node, at), at, text, Error)}
}
