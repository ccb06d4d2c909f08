// Package ipam models what the function writes and reads of Cluster API's IPAM: an IPAddressClaim asks a pool for an address, and whoever
// provides the pool answers with an IPAddress.
//
// Facts are from Cluster API v1.9.6 (exp/ipam/api/v1beta1) and from the source of cluster-api-ipam-provider-in-cluster v1.0.0, which provides
// InClusterIPPools and GlobalInClusterIPPools (pkg/ipamutil/reconciler.go, internal/controllers/ipaddressclaim.go):
//
//   - the IPAddress has the namespace of its claim, and status.addressRef of the claim has its name;
//   - the spec of a claim cannot be changed;
//   - as soon as a claim is deleted, whatever other finalizers it has, its IPAddress is deleted, and the pool gives the address to the next claim.
package ipam

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// Group and Version of IPAddressClaims and IPAddresses. Most pools have the group, too.
const (
	Group   = "ipam.cluster.x-k8s.io"
	Version = "v1beta1"

	APIVersion = Group + "/" + Version
)

// The kinds, and the CustomResourceDefinition of the one that the function composes.
const (
	ClaimKind       = "IPAddressClaim"
	AddressKind     = "IPAddress"
	ClaimDefinition = "ipaddressclaims." + Group
)

// A Pool is what a claim asks for an address: an object of any group and kind that somebody provides. The zero value is none.
type Pool struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

// IsZero says whether there is no pool.
func (p Pool) IsZero() bool { return p == Pool{} }

// String is the pool as a message names it, for instance InClusterIPPool lab.
func (p Pool) String() string { return p.Kind + " " + p.Name }

// Text is the pool as an annotation has it: group, kind and name.
func (p Pool) Text() string { return p.APIGroup + "/" + p.Kind + "/" + p.Name }

// ParsePool reads the pool in an annotation; the zero value of any other text.
func ParsePool(text string) Pool {
	parts := strings.Split(text, "/")
	if len(parts) != 3 || parts[1] == "" || parts[2] == "" {
		return Pool{}
	}

	return Pool{APIGroup: parts[0], Kind: parts[1], Name: parts[2]}
}

// prefix begins the composed resource name of an IPAddressClaim.
const prefix = "address-"

// hashLength is how many bytes of the pool's hash the composed resource name has.
const hashLength = 5

// NameOf is the composed resource name of the machine's claim on a pool. It follows from the pool, because nobody can change the pool of a claim.
func NameOf(p Pool) string {
	sum := sha256.Sum256([]byte(p.Text()))

	return prefix + hex.EncodeToString(sum[:hashLength])
}

// Is says whether a composed resource is an IPAddressClaim of ours.
func Is(name string, o *structpb.Struct) bool {
	return strings.HasPrefix(name, prefix) && proxmox.KindOf(o) == ClaimKind
}

// A Claim is an IPAddressClaim as it is written.
type Claim struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Metadata   Metadata  `json:"metadata"`
	Spec       ClaimSpec `json:"spec"`
}

// Metadata of a [Claim].
type Metadata struct {
	proxmox.Metadata `json:",inline"`

	// Namespace of the claim, which is the machine's. A pool of a namespace is reached from there alone.
	Namespace string `json:"namespace"`
}

// A ClaimSpec names the pool.
type ClaimSpec struct {
	PoolRef Pool `json:"poolRef"`
}

// NewClaim on a pool.
func NewClaim(p Pool, namespace string, m proxmox.Metadata) Claim {
	return Claim{APIVersion: APIVersion, Kind: ClaimKind, Metadata: Metadata{Metadata: m, Namespace: namespace}, Spec: ClaimSpec{PoolRef: p}}
}

// Manifest of a claim.
func (c Claim) Manifest() (*structpb.Struct, error) {
	m, err := structcodec.Encode(&c, structcodec.Text{})

	return m, errors.Wrap(err, "cannot convert IPAddressClaim")
}

// An ObservedClaim is an IPAddressClaim as it was found.
type ObservedClaim struct {
	APIVersion string                   `json:"apiVersion"`
	Kind       string                   `json:"kind"`
	Metadata   proxmox.ObservedMetadata `json:"metadata"`
	Spec       ClaimSpec                `json:"spec"`
	Status     struct {
		AddressRef struct {
			Name string `json:"name"`
		} `json:"addressRef"`
		Conditions proxmox.Conditions `json:"conditions"`
	} `json:"status"`
}

// Retained is the claim as it was written before, with the labels and annotations given.
func (c ObservedClaim) Retained(m proxmox.Metadata) Claim {
	return Claim{APIVersion: c.APIVersion, Kind: c.Kind, Metadata: Metadata{Metadata: m, Namespace: c.Metadata.Namespace}, Spec: c.Spec}
}

// Bound says whether the claim has an IPAddress.
func (c ObservedClaim) Bound() bool { return c.Status.AddressRef.Name != "" }

// An Address is an IPAddress as it was found.
type Address struct {
	Metadata proxmox.ObservedMetadata `json:"metadata"`
	Spec     struct {
		Address  string `json:"address"` // Without a prefix length.
		Prefix   int64  `json:"prefix"`  // Of the subnet.
		Gateway  string `json:"gateway"` // Empty where the pool has none.
		ClaimRef struct {
			Name string `json:"name"`
		} `json:"claimRef"`
	} `json:"spec"`
}

// ReadClaim reads an observed IPAddressClaim.
func ReadClaim(o *structpb.Struct) (ObservedClaim, error) { return read[ObservedClaim](o) }

// ReadAddress reads an IPAddress.
func ReadAddress(o *structpb.Struct) (Address, error) { return read[Address](o) }

func read[T any](o *structpb.Struct) (T, error) {
	var out T

	err := structcodec.Decode(o, &out, structcodec.Text{})

	return out, errors.Wrapf(err, "cannot read %s", proxmox.KindOf(o))
}
