package proxmox

// FileKind is the kind of a file that the provider writes to a datastore over SSH.
const FileKind = "EnvironmentFile"

// A File is a cloud-init snippet on a node. Every field is immutable at the provider: a changed file is a new file.
type File = Resource[FileParameters]

// FileParameters of a [File].
type FileParameters struct {
	NodeName    string `json:"nodeName"`
	DatastoreID string `json:"datastoreId"`
	ContentType string `json:"contentType"`
	// FileMode keeps other users of the node from reading the snippet; the provider's default is world-readable.
	FileMode string `json:"fileMode"`
	// Overwrite lets a create that was cut off be repeated. The name carries a hash of the content, so that only the same
	// bytes are ever overwritten.
	Overwrite bool        `json:"overwrite"`
	SourceRaw []SourceRaw `json:"sourceRaw"`
}

// SourceRaw is the content of a [File].
type SourceRaw struct {
	FileName string  `json:"fileName"`
	Data     Literal `json:"data"     text:"literal"`
}

// NewFile makes the managed resource of a snippet.
func NewFile(f Flavour, pc ProviderConfig, m Metadata, d Deletion, p FileParameters) File {
	return File{
		APIVersion: f.FileAPIVersion(), Kind: FileKind, Metadata: m,
		Spec: Spec[FileParameters]{ManagementPolicies: Policies(d), ProviderConfigRef: f.Ref(pc), ForProvider: p},
	}
}

// SnippetID is the volume id of a snippet.
func SnippetID(datastore, fileName string) string { return datastore + ":snippets/" + fileName }

// VolumeID of the file on its node; empty where it has no content.
func (p FileParameters) VolumeID() string {
	if len(p.SourceRaw) == 0 {
		return ""
	}

	return SnippetID(p.DatastoreID, p.SourceRaw[0].FileName)
}
