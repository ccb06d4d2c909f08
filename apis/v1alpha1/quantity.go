package v1alpha1

import (
	"encoding/json"
)

// A Quantity is an amount of memory or disk, as the user wrote it: `4Gi`, `4gi`, `4096` or `50G`.
//
// Units are Ki to Ti and K to T in any case. As everywhere in Proxmox VE, K, M, G and T count in steps of 1024: `50G`
// and `50Gi` are the same. A number without a unit is MiB for memory and GiB for disks. The type accepts a JSON number
// and a JSON string alike, and keeps the text; package quantity parses it.
//
// +kubebuilder:validation:XIntOrString
// +kubebuilder:validation:Type=""
// +kubebuilder:validation:Pattern=`^[0-9]{1,15}([kKmMgGtT][iI]?)?$`
type Quantity string

// UnmarshalJSON reads a JSON string or number. It never fails on well-formed JSON: it keeps the text of any other value,
// so that validation can report the path, instead of the decoder refusing the whole claim.
func (q *Quantity) UnmarshalJSON(b []byte) error {
	*q = Quantity(scalarText(b))
	return nil
}

// An ImageRef names a machine's image; see [MachineFields].Image. It accepts a JSON string and, for the VMID of a
// template, a JSON number.
//
// +kubebuilder:validation:XIntOrString
// +kubebuilder:validation:Type=""
// +kubebuilder:validation:MaxLength=255
type ImageRef string

// UnmarshalJSON reads a JSON string or number, and keeps the text of anything else for validation.
func (r *ImageRef) UnmarshalJSON(b []byte) error {
	*r = ImageRef(scalarText(b))
	return nil
}

// A Ports is a port, or a range of ports from lowest to highest: 443, or 30000-32767. It accepts a JSON string, or a number.
//
// +kubebuilder:validation:XIntOrString
// +kubebuilder:validation:Type=""
// +kubebuilder:validation:MaxLength=11
type Ports string

// UnmarshalJSON reads a JSON string or number, and keeps the text of anything else for validation.
func (p *Ports) UnmarshalJSON(b []byte) error {
	*p = Ports(scalarText(b))
	return nil
}

// scalarText is a JSON string's value, or the text of any other JSON value. A JSON null is empty.
func scalarText(b []byte) string {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		return s
	}

	return string(b)
}
