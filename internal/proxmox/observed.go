package proxmox

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// Observed is a managed resource as it was found in the cluster. P is its forProvider, S its atProvider.
type Observed[P, S any] struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   ObservedMetadata `json:"metadata"`
	Spec       Spec[P]          `json:"spec"`
	Status     struct {
		AtProvider S          `json:"atProvider"`
		Conditions Conditions `json:"conditions"`
	} `json:"status"`

	// Foreign says that the provider was to create a VM, and that it sees somebody else's under the VMID. Nothing was made of the
	// resource then, as where the provider may only observe.
	Foreign bool `json:"-"`
	// Renamed says that somebody edited the external name: it is written as it was, and what the provider reported since is about nobody knows what.
	Renamed bool `json:"-"`
	// Withheld says that somebody left the provider no right but to observe: the rights are read as they were.
	Withheld bool `json:"-"`
}

// ObservedMetadata of a managed resource.
type ObservedMetadata struct {
	Metadata `json:",inline"`

	Name              string `json:"name"`
	Namespace         string `json:"namespace"`
	Generation        int64  `json:"generation"`
	CreationTimestamp string `json:"creationTimestamp"`
	DeletionTimestamp string `json:"deletionTimestamp"`

	OwnerReferences []OwnerReference `json:"ownerReferences"`
}

// Before says whether a resource was created before another. A resource that does not exist yet comes last.
func (m ObservedMetadata) Before(other ObservedMetadata) bool {
	switch {
	case other.Name == "":
		return true
	case m.CreationTimestamp != other.CreationTimestamp:
		return m.CreationTimestamp < other.CreationTimestamp
	}

	return m.Namespace+"/"+m.Name < other.Namespace+"/"+other.Name
}

// An OwnerReference of a managed resource, as far as it is read.
type OwnerReference struct {
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Controller bool   `json:"controller"`
}

// Controller is the name of the composite that composes a managed resource; empty where it has lost that. [CompositeLabel] is another name
// where a composite is composed by another one: Crossplane copies the label of the outer composite down to everything below it (Configure
// of APINamingConfigurator writes it only where there is none, and RenderComposedResourceMetadata copies it, in
// internal/controller/apiextensions/composite of v1.20.5 and v2.4.0), so that all nodes of a K3sCluster have the cluster's.
func (m ObservedMetadata) Controller() string {
	for _, o := range m.OwnerReferences {
		if o.Controller {
			return o.Name
		}
	}

	return ""
}

// ControllerKind is the kind of the controller; empty without one. Composites of two kinds can have one name.
func (m ObservedMetadata) ControllerKind() string {
	for _, o := range m.OwnerReferences {
		if o.Controller {
			return o.Kind
		}
	}

	return ""
}

// A Condition of a managed resource. Its message must never be passed on: the provider puts SSH keys and whole user-data
// into messages.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// LastTransitionTime is when Status became what it is, as RFC 3339 has it.
	LastTransitionTime string `json:"lastTransitionTime"`
	// ObservedGeneration is the generation of the resource that the condition is about; 0 where the provider does not report it.
	ObservedGeneration int64 `json:"observedGeneration"`
}

// IsAbout says whether a condition is about a generation of its resource, as far as both are known.
func (c Condition) IsAbout(generation int64) bool {
	return c.ObservedGeneration == 0 || generation == 0 || c.ObservedGeneration == generation
}

// Conditions of a managed resource.
type Conditions []Condition

// Of a type; the zero Condition where there is none.
func (all Conditions) Of(typ string) Condition {
	for _, c := range all {
		if c.Type == typ {
			return c
		}
	}

	return Condition{}
}

// An ObservedVM is a VM as it was found.
type ObservedVM = Observed[VMParameters, VMObservation]

// An ObservedFile is a snippet as it was found.
type ObservedFile = Observed[FileParameters, FileObservation]

// An ObservedDownloadFile is an image as it was found.
type ObservedDownloadFile = Observed[DownloadFileParameters, FileObservation]

// FileObservation is what the provider reports of a file.
type FileObservation struct {
	ID string `json:"id"`
}

// VMObservation is what the provider reports of a VM. The address lists have one entry per interface of the guest, in the
// same order, the loopback interface included; they are empty while the guest agent is away.
type VMObservation struct {
	ID                    string           `json:"id"`
	VMID                  int64            `json:"vmId"`
	Name                  string           `json:"name"`
	Description           string           `json:"description"`
	NodeName              string           `json:"nodeName"`
	Started               bool             `json:"started"`
	Disk                  []ObservedDisk   `json:"disk"`
	CDROM                 []CDROM          `json:"cdrom"`
	SMBIOS                []SMBIOS         `json:"smbios"`
	NetworkDevice         []ObservedDevice `json:"networkDevice"`
	NetworkInterfaceNames []string         `json:"networkInterfaceNames"`
	MACAddresses          []string         `json:"macAddresses"`
	IPv4Addresses         [][]string       `json:"ipv4Addresses"`
	IPv6Addresses         [][]string       `json:"ipv6Addresses"`

	// Initialization is what the provider has read of the cloud-init drive, where it cannot go on with the VM. Nil else.
	Initialization []Initialization `json:"-"`
	// Parameters are the whole configuration that the provider has read. Nil unless the provider may only observe the VM, and
	// the VM exists.
	Parameters *Found `json:"-"`
}

// An ObservedDevice is a network interface as Proxmox has it.
type ObservedDevice struct {
	MACAddress string `json:"macAddress"`
}

// An ObservedDisk is a disk as Proxmox has it.
type ObservedDisk struct {
	Interface   string `json:"interface"`
	DatastoreID string `json:"datastoreId"`
	Size        int64  `json:"size"` // GiB.
}

// Condition of a type; the zero Condition where there is none.
func (o Observed[P, S]) Condition(typ string) Condition { return o.Status.Conditions.Of(typ) }

// Is says whether a condition is True.
func (o Observed[P, S]) Is(typ string) bool { return o.Condition(typ).IsTrue() }

// Fresh says whether a condition is about the current spec, as far as the provider reports it. A change of annotations makes no
// condition stale.
func (o Observed[P, S]) Fresh(typ string) bool {
	return o.Condition(typ).IsAbout(o.Metadata.Generation)
}

// Before says whether a resource was created before another. A resource that does not exist yet comes last.
func (o Observed[P, S]) Before(other Observed[P, S]) bool { return o.Metadata.Before(other.Metadata) }

// ObserveOnly says whether the provider may only observe the resource: then it has created nothing, and whatever it reports
// belongs to somebody else.
func (o Observed[P, S]) ObserveOnly() bool {
	return OnlyObserves(o.Spec.ManagementPolicies)
}

// Reserves says whether a managed resource stands for a VM that does not exist yet, and does nothing but reserve what the VM is to have: nobody has
// given the provider the name of a VM to look for, and the provider ignores it.
func Reserves(vm ObservedVM) bool { return vm.ObserveOnly() && vm.Metadata.Reserves() }

// Retained is the resource as it was written before, with the labels, annotations and policies of today. Keeping the
// API version matters: under another one Crossplane would see another resource, and delete this one.
func (o Observed[P, S]) Retained(m Metadata, d Deletion) Resource[P] {
	r := Resource[P]{APIVersion: o.APIVersion, Kind: o.Kind, Metadata: m, Spec: o.Spec}
	r.Spec.ManagementPolicies = Policies(d)

	return r
}

// ObserveVM reads a VM.
func ObserveVM(object *structpb.Struct) (ObservedVM, error) {
	o, err := observe[VMParameters, VMObservation](object)
	if err != nil {
		return o, err
	}

	// The external name of an import tells a VMID check from a VM of ours, even if somebody removed the policies.
	if strings.Contains(o.Metadata.ExternalName(), "/") {
		o.Spec.ManagementPolicies = ObserveOnly()
	}

	// So does the annotation of a creation for what the provider may do until the VM is known to be ours.
	if _, creating := o.Metadata.Annotations[CreatingAnnotation]; creating && !o.ObserveOnly() {
		o.Spec.ManagementPolicies = CreatePolicies()
	}

	putBack(&o, o.Status.AtProvider.ID, !existed(o.Metadata.Metadata))

	another := anotherVM(o)

	if !another && CreationOf(o) == CreationForeign {
		o.Foreign, o.Spec.ManagementPolicies = true, ObserveOnly()
	}

	atProvider := object.GetFields()["status"].GetStructValue().GetFields()["atProvider"].GetStructValue()

	switch {
	case another:
		o.Status.AtProvider = VMObservation{}
	case o.ObserveOnly():
		o.Status.AtProvider.Parameters, err = readFound(atProvider)
	case o.Condition(ConditionSynced).IsFalse():
		o.Status.AtProvider.Initialization, err = readInitialization(atProvider)
	}

	if !another && !o.ObserveOnly() && o.Metadata.Annotations[AdoptedAnnotation] != "" {
		o.Spec.Rest = object.GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue()
	}

	return o, err
}

// readInitialization reads the cloud-init drive out of what the provider has read of a VM.
func readInitialization(atProvider *structpb.Struct) ([]Initialization, error) {
	var found struct {
		Initialization []Initialization `json:"initialization"`
	}

	err := structcodec.Decode(atProvider, &found, structcodec.Text{})

	return found.Initialization, errors.Wrap(err, "status.atProvider")
}

// ObserveFile reads a snippet.
func ObserveFile(object *structpb.Struct) (ObservedFile, error) {
	o, err := observe[FileParameters, FileObservation](object)

	for i := range o.Spec.ForProvider.SourceRaw {
		raw := &o.Spec.ForProvider.SourceRaw[i]
		raw.Data = readLiteral(raw.Data)
	}

	return o, err
}

// ObserveDownloadFile reads an image.
func ObserveDownloadFile(object *structpb.Struct) (ObservedDownloadFile, error) {
	return observe[DownloadFileParameters, FileObservation](object)
}

// observe reads what the models know of a resource and passes over the rest. Its error names the field; who calls names the
// resource.
func observe[P, S any](object *structpb.Struct) (Observed[P, S], error) {
	var o Observed[P, S]

	err := structcodec.Decode(object, &o, templates)
	o.Kind = readKind(o.APIVersion, o.Kind)

	return o, err
}
