package render

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// imagePrefix starts the composed resource names of images.
const imagePrefix = "image-"

// imageTimeoutSeconds is how long a node may take to download a cloud image.
const imageTimeoutSeconds = 1800

// images are the cloud images of a machine by composed resource name. A VM that was made keeps those that it was made
// from, so that an edit of the claim neither fetches a file that nobody reads nor touches the disk's history.
func (w *work) images() map[string]proxmox.DownloadFile {
	out := map[string]proxmox.DownloadFile{}

	if w.made || w.next {
		for name, f := range w.State.DownloadFiles {
			if w.made && !w.next && w.outlived(f) {
				continue
			}

			m := w.metadataWith(map[string]string{proxmox.ExternalNameAnnotation: f.Metadata.ExternalName()})
			out[name] = f.Retained(m, false)
		}
	}

	d := w.Machine.Boot.Download
	if w.made || w.adopted || w.Machine.Boot.Source != machine.SourceDownload || d == nil {
		return out
	}

	p := w.imageParameters(*d)
	// The name holds the volume, so that another image is another resource.
	name := imagePrefix + w.Machine.Identity.Hash(p.NodeName, p.VolumeID(), p.URL)

	// Under another provider configuration it would be changed in place, and is another one as well.
	ref := w.Flavour.Ref(w.providerConfig())
	if o, ok := w.State.DownloadFiles[name]; ok && o.Spec.ProviderConfigRef != ref {
		name = imagePrefix + w.Machine.Identity.Hash(p.NodeName, p.VolumeID(), p.URL, ref.Name, ref.Kind)
	}

	m := w.metadataWith(map[string]string{proxmox.ExternalNameAnnotation: p.VolumeID()})
	out[name] = proxmox.NewDownloadFile(w.Flavour, w.providerConfig(), m, p)

	return out
}

// outlived says whether the VM was made from another image, and no VM from this one any more. The file stays on its node.
func (w *work) outlived(f proxmox.ObservedDownloadFile) bool {
	for name, o := range w.State.VMs {
		if _, stays := w.vms[name]; (stays || name == w.name) && imports(o, f.Spec.ForProvider.VolumeID()) {
			return false
		}
	}

	for _, other := range w.State.DownloadFiles {
		if imports(w.vm, other.Spec.ForProvider.VolumeID()) {
			return true
		}
	}

	return false
}

func imports(vm proxmox.ObservedVM, id string) bool {
	return slices.ContainsFunc(vm.Spec.ForProvider.Disk, func(d proxmox.Disk) bool { return d.ImportFrom == id })
}

func (w *work) imageParameters(d machine.Download) proxmox.DownloadFileParameters {
	return proxmox.DownloadFileParameters{
		NodeName:             w.Machine.Placement.Node,
		DatastoreID:          w.Machine.Placement.ImageDatastore,
		ContentType:          "import",
		FileName:             d.FileName,
		URL:                  d.URL,
		Checksum:             d.Checksum,
		ChecksumAlgorithm:    d.ChecksumAlgorithm,
		UploadTimeoutSeconds: imageTimeoutSeconds,
		Verify:               true,
	}
}
