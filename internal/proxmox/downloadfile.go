package proxmox

// DownloadFileKind is the kind of a file that a node downloads by itself.
const DownloadFileKind = "EnvironmentDownloadFile"

// A DownloadFile is a cloud image on a node. Every field is immutable at the provider but for the switches.
type DownloadFile = Resource[DownloadFileParameters]

// DownloadFileParameters of a [DownloadFile].
type DownloadFileParameters struct {
	NodeName          string `json:"nodeName"`
	DatastoreID       string `json:"datastoreId"`
	ContentType       string `json:"contentType"`
	FileName          string `json:"fileName"`
	URL               string `json:"url"`
	Checksum          string `json:"checksum,omitempty"`
	ChecksumAlgorithm string `json:"checksumAlgorithm,omitempty"`
	// Overwrite true, the provider's default, compares the size with the URL's at every poll, and replaces the file when they
	// differ.
	Overwrite bool `json:"overwrite"`
	// OverwriteUnmanaged true would delete and fetch again a file that others use.
	OverwriteUnmanaged   bool  `json:"overwriteUnmanaged"`
	UploadTimeoutSeconds int64 `json:"uploadTimeout"`
	Verify               bool  `json:"verify"`
}

// NewDownloadFile makes the managed resource of an image. It is shared by the machines of a node, so no machine may delete
// it; its external name is set from the start, so that the provider finds a file which exists already.
func NewDownloadFile(f Flavour, pc ProviderConfig, m Metadata, p DownloadFileParameters) DownloadFile {
	return DownloadFile{
		APIVersion: f.DownloadFileAPIVersion(), Kind: DownloadFileKind, Metadata: m,
		Spec: Spec[DownloadFileParameters]{ManagementPolicies: Policies(DeletionOrphans), ProviderConfigRef: f.Ref(pc), ForProvider: p},
	}
}

// VolumeID of the image on its node.
func (p DownloadFileParameters) VolumeID() string {
	return p.DatastoreID + ":" + p.ContentType + "/" + p.FileName
}
