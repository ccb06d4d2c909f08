package proxmox

import "google.golang.org/protobuf/types/known/structpb"

// ObservePlace reads whose a VM is and where it is, and nothing else of it: a call that asks for all VMs of a cluster only for their nodes
// is not to read all of them.
func ObservePlace(object *structpb.Struct) (ObservedVM, error) {
	at := object.GetFields()
	spec, status := at["spec"].GetStructValue().GetFields(), at["status"].GetStructValue().GetFields()

	return ObserveVM(&structpb.Struct{Fields: map[string]*structpb.Value{
		"apiVersion": at["apiVersion"], "kind": at["kind"], "metadata": at["metadata"],
		"spec": fieldsOf(map[string]*structpb.Value{
			"managementPolicies": spec["managementPolicies"], "providerConfigRef": spec["providerConfigRef"], "forProvider": nodeOf(spec["forProvider"]),
		}),
		"status": fieldsOf(map[string]*structpb.Value{"atProvider": nodeOf(status["atProvider"])}),
	}})
}

// nodeOf an object: its node and nothing else; nil where there is none.
func nodeOf(v *structpb.Value) *structpb.Value {
	return fieldsOf(map[string]*structpb.Value{"nodeName": v.GetStructValue().GetFields()["nodeName"]})
}

// fieldsOf an object that are there.
func fieldsOf(fields map[string]*structpb.Value) *structpb.Value {
	for name, v := range fields {
		if v == nil {
			delete(fields, name)
		}
	}

	return structpb.NewStructValue(&structpb.Struct{Fields: fields})
}
