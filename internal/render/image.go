package render

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// imagePrefix starts the composed resource names of images.
const imagePrefix = "image-"

// imageTimeoutSeconds is how long a node may take to download a cloud image.
const imageTimeoutSeconds = 1800

// images are the cloud images of a machine by composed resource name. An existing VM keeps the images that it was created
// from, so that an edit of the claim neither downloads a file that no VM reads nor changes the source of the VM's disk.
func (d describer) images() map[string]proxmox.DownloadFile {
	out := map[string]proxmox.DownloadFile{}

	if d.living || d.r.Replacing() {
		for name, f := range d.r.Observed.DownloadFiles {
			unneeded := !d.r.Replacing() && !importsLater(d, f) && (d.outlived(f) || d.outOfReach(f))
			lost := d.r.LostNode(f.Spec.ForProvider.NodeName) && !d.r.Lost(d.r.Roles.Described())

			if d.living && (unneeded || lost) {
				continue
			}

			m := d.r.metadataWith(map[string]string{proxmox.ExternalNameAnnotation: f.Metadata.ExternalName()})
			out[name] = f.Retained(m, proxmox.DeletionOrphans)
		}
	}

	if d.living || d.r.Adopted || !d.downloads() {
		return out
	}

	p := d.imageParameters(*d.r.Machine.Boot.Download)
	// The name holds the volume, so that another image is another resource.
	name := imagePrefix + d.r.Machine.Identity.Hash(p.NodeName, p.VolumeID(), p.URL)

	// With another provider configuration, the image is another resource, too: else the provider would change it in place.
	ref := d.r.providerConfigRef()
	if o, ok := d.r.Observed.DownloadFiles[name]; ok && o.Spec.ProviderConfigRef != ref {
		name = imagePrefix + d.r.Machine.Identity.Hash(p.NodeName, p.VolumeID(), p.URL, ref.Name, ref.Kind)
	}

	m := d.r.awaiting(d.r.metadataWith(map[string]string{proxmox.ExternalNameAnnotation: p.VolumeID()}))
	image := proxmox.NewDownloadFile(d.r.Flavour, d.r.providerConfig(), m, p)

	// The image that the replaced VM was made from may be of another API, under which Crossplane would see another resource.
	if kept, ok := out[name]; !ok || kept.APIVersion == image.APIVersion {
		out[name] = image
	}

	return out
}

// downloads says whether a new VM is made from an image that its node downloads.
func (d describer) downloads() bool {
	return d.r.Machine.Boot.Source == machine.SourceDownload && d.r.Machine.Boot.Download != nil
}

// outOfReach says whether the image is on a Proxmox node that does not answer, and the VM that was made of it is on another one: it is of no use there,
// and its error would be the machine's for as long as the node is away. The file stays on its node.
func (d describer) outOfReach(f proxmox.ObservedDownloadFile) bool {
	return diagnose.NodeAway(f) && f.Spec.ForProvider.NodeName != change.AsMade(*d.vm).NodeName
}

// importsLater says whether a VM that another one has replaced, and that does not go with this call, was created from the image.
func importsLater(d describer, f proxmox.ObservedDownloadFile) bool {
	return goesLater(d, func(vm proxmox.ObservedVM) bool { return imports(vm, f.Spec.ForProvider.VolumeID()) })
}

// outlived says whether the VM was created from another image. The file stays on its node.
func (d describer) outlived(f proxmox.ObservedDownloadFile) bool {
	if imports(*d.vm, f.Spec.ForProvider.VolumeID()) {
		return false
	}

	for _, other := range d.r.Observed.DownloadFiles {
		if imports(*d.vm, other.Spec.ForProvider.VolumeID()) {
			return true
		}
	}

	return false
}

func imports(vm proxmox.ObservedVM, id string) bool {
	return slices.ContainsFunc(vm.Spec.ForProvider.Disk, func(d proxmox.Disk) bool { return d.ImportFrom == id })
}

func (d describer) imageParameters(i machine.Download) proxmox.DownloadFileParameters {
	return proxmox.DownloadFileParameters{
		NodeName:             d.r.Machine.Placement.Node,
		DatastoreID:          d.r.Machine.Placement.ImageDatastore,
		ContentType:          "import",
		FileName:             i.FileName,
		URL:                  i.URL,
		Checksum:             i.Checksum,
		ChecksumAlgorithm:    i.ChecksumAlgorithm,
		UploadTimeoutSeconds: imageTimeoutSeconds,
		Verify:               true,
	}
}
