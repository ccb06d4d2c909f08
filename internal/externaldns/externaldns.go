// Package externaldns models the DNSEndpoint, by which external-dns is told the records of a name.
//
// Facts are from external-dns v0.18.0: its CustomResourceDefinition, and source/crd.go. It reads DNSEndpoints where it runs with --source=crd, and
// writes the generation that it has read into the status. It says nowhere what became of the records. The real one lives in test/controlplane.
package externaldns

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// The kind, and the name of its CustomResourceDefinition.
const (
	Group      = "externaldns.k8s.io"
	Version    = "v1alpha1"
	APIVersion = Group + "/" + Version
	Kind       = "DNSEndpoint"
	Definition = "dnsendpoints." + Group
)

// Name is the composed resource name of a machine's DNSEndpoint.
const Name = "dns-record"

// Types of records.
const (
	TypeA    = "A"
	TypeAAAA = "AAAA"
)

// A Record is what a name points to, of one type.
type Record struct {
	DNSName    string   `json:"dnsName"`
	RecordType string   `json:"recordType"` // TypeA or TypeAAAA.
	Targets    []string `json:"targets"`    // IP addresses.
}

// A Spec has the records of a DNSEndpoint.
type Spec struct {
	Endpoints []Record `json:"endpoints"`
}

// TargetOf the records of a type; empty where there are none.
func (s Spec) TargetOf(recordType string) string {
	for _, r := range s.Endpoints {
		if r.RecordType == recordType && len(r.Targets) > 0 {
			return r.Targets[0]
		}
	}

	return ""
}

// An Endpoint is a DNSEndpoint as it is written.
type Endpoint struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`
}

// Metadata of an [Endpoint].
type Metadata struct {
	proxmox.Metadata `json:",inline"`

	// Namespace of the DNSEndpoint, which is the machine's.
	Namespace string `json:"namespace"`
}

// New is a DNSEndpoint of a namespace.
func New(records []Record, namespace string, m proxmox.Metadata) Endpoint {
	return Endpoint{APIVersion: APIVersion, Kind: Kind, Metadata: Metadata{Metadata: m, Namespace: namespace}, Spec: Spec{Endpoints: records}}
}

// Manifest of a DNSEndpoint.
func (e Endpoint) Manifest() (*structpb.Struct, error) {
	m, err := structcodec.Encode(&e, structcodec.Text{})

	return m, errors.Wrap(err, "cannot convert DNSEndpoint")
}

// An Observed is a DNSEndpoint as it was found.
type Observed struct {
	Metadata proxmox.ObservedMetadata `json:"metadata"`
	Spec     Spec                     `json:"spec"`
	Status   struct {
		ObservedGeneration int64 `json:"observedGeneration"`
	} `json:"status"`
}

// IsRead says whether external-dns has read the DNSEndpoint as it is now.
func (o Observed) IsRead() bool {
	return o.Metadata.Generation > 0 && o.Status.ObservedGeneration == o.Metadata.Generation
}

// Read an observed DNSEndpoint.
func Read(o *structpb.Struct) (Observed, error) {
	var out Observed

	err := structcodec.Decode(o, &out, structcodec.Text{})

	return out, errors.Wrap(err, "cannot read DNSEndpoint")
}
