package proxmox

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/function-sdk-go/errors"
)

// Observed is a managed resource as it was found in the cluster. P is its forProvider, S its atProvider.
type Observed[P, S any] struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	Spec       Spec[P]  `json:"spec"`
	Status     struct {
		AtProvider S           `json:"atProvider"`
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// A Condition of a managed resource. Its message must never be passed on: the provider puts SSH keys and whole user-data
// into messages.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// The managed resources as they are found.
type (
	ObservedVM           = Observed[VMParameters, VMObservation]
	ObservedFile         = Observed[FileParameters, FileObservation]
	ObservedDownloadFile = Observed[DownloadFileParameters, FileObservation]
)

// ObservedFigures are the keys of atProvider that the observations below read.
func ObservedFigures() []string {
	return []string{"id", "vmId", "nodeName", "started", "networkDevice", "networkInterfaceNames", "macAddresses", "ipv4Addresses", "ipv6Addresses"}
}

// FileObservation is what the provider reports of a file.
type FileObservation struct {
	ID string `json:"id"`
}

// VMObservation is what the provider reports of a VM. The address lists have one entry per interface of the guest, in the
// same order, the loopback interface included; they are empty while the guest agent is away.
type VMObservation struct {
	ID                    string           `json:"id"`
	VMID                  int64            `json:"vmId"`
	NodeName              string           `json:"nodeName"`
	Started               bool             `json:"started"`
	NetworkDevice         []ObservedDevice `json:"networkDevice"`
	NetworkInterfaceNames []string         `json:"networkInterfaceNames"`
	MACAddresses          []string         `json:"macAddresses"`
	IPv4Addresses         [][]string       `json:"ipv4Addresses"`
	IPv6Addresses         [][]string       `json:"ipv6Addresses"`
}

// An ObservedDevice is a network interface as Proxmox has it.
type ObservedDevice struct {
	MACAddress string `json:"macAddress"`
}

// Condition of a type; the zero Condition where there is none.
func (o Observed[P, S]) Condition(typ string) Condition {
	for _, c := range o.Status.Conditions {
		if c.Type == typ {
			return c
		}
	}

	return Condition{}
}

// Is says whether a condition is True.
func (o Observed[P, S]) Is(typ string) bool { return o.Condition(typ).Status == "True" }

// Retained is the resource as it was written before, with the labels, annotations and policies of today. Keeping the
// API version matters: under another one Crossplane would see another resource, and delete this one.
func (o Observed[P, S]) Retained(m Metadata, mayDelete bool) Resource[P] {
	r := Resource[P]{APIVersion: o.APIVersion, Kind: o.Kind, Metadata: m, Spec: o.Spec}
	r.Spec.ManagementPolicies = Policies(mayDelete)

	return r
}

// ObserveVM reads a VM.
func ObserveVM(content map[string]any) (ObservedVM, error) {
	return observe[VMParameters, VMObservation](content)
}

// ObserveFile reads a snippet.
func ObserveFile(content map[string]any) (ObservedFile, error) {
	return observe[FileParameters, FileObservation](content)
}

// ObserveDownloadFile reads an image.
func ObserveDownloadFile(content map[string]any) (ObservedDownloadFile, error) {
	return observe[DownloadFileParameters, FileObservation](content)
}

// observe reads what the models know of a resource and passes over the rest.
func observe[P, S any](content map[string]any) (Observed[P, S], error) {
	var o Observed[P, S]

	if spec, ok := content["spec"].(map[string]any); ok {
		spec["forProvider"] = mapStrings(spec["forProvider"], Unescape)
	}

	err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &o)

	return o, errors.Wrap(err, "cannot read observed managed resource")
}
