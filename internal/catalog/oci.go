package catalog

import (
	"cmp"
	"path"
	"regexp"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	// asImage is how people and tools write an image of a registry: with a scheme, with the registry in front, with a tag or a digest, or as user/name.
	asImage = regexp.MustCompile(`(?i)^(?:(?:docker|oci|oras)://.|(?:docker|oci)-(?:archive|daemon):.|(?:(?:[a-z0-9-]+\.)+[a-z0-9]+|localhost)(?::\d+)?/.|` +
		`[a-z0-9._/-]+(?::\w[\w.-]*(?:@sha256:[0-9a-f]+)?|@sha256:[0-9a-f]+)$|[a-z0-9][a-z0-9_-]*/[a-z0-9][a-z0-9._-]*$|[a-z0-9-]+:\d+/[^:]+:[\w.-]+$)`)
	// onRegistry are addresses of what the large registries have, and of their pages.
	onRegistry = regexp.MustCompile(`(?i)^https?://(?:[a-z0-9-]+\.)*(?:docker\.(?:io|com)|ghcr\.io|` +
		`lscr\.io|quay\.io|gcr\.io|pkg\.dev|registry\.k8s\.io|mcr\.microsoft\.com|public\.ecr\.aws)/.`)
	// onStorage are volumes of Proxmox, also of those storages whose disks have no folder, and of which somebody has forgotten the type.
	onStorage = regexp.MustCompile(`^[A-Za-z][\w.-]*:(?:(?:vztmpl|iso|import|images|rootdir|snippets|backup|\d+)/[^:/]*$|` +
		`(?:vm|base|subvol|basevol)-\d+-)|^local(?:-[\w-]*)?:`)
	// asFile are the ends of files that no image of a registry has in its name.
	asFile = regexp.MustCompile(`(?i)\.(?:tar\.\w+|tgz|txz|qcow2|img|raw|vmdk|iso|xz|gz|zst|bz2|zip|7z|ova)$`)
)

// OCI says of what somebody wrote for an image or a template, and what is none, that it is an image of a registry, why nothing is made of those, and what to
// do; empty where it is something else.
func OCI(written string) string {
	if len(written) > message.Typed {
		return ""
	}

	is := "is written as an image of a registry (OCI, as Docker has them)"

	switch base, _, _ := strings.Cut(written, "?"); {
	case strings.EqualFold(path.Ext(base), ".tar"):
		is = "can be an image of a registry (OCI), which Proxmox VE 9.1 and later keep as a .tar file"
	case onStorage.MatchString(written) || asFile.MatchString(base) || !asImage.MatchString(written) && !onRegistry.MatchString(written):
		return ""
	}

	return is + ", and no claim makes anything of one: it has one program and no system. Run it with Docker in a Machine, made of a disk's image such as a .qcow2 file, " +
		"or in a Container with features.nesting, made of a template with .tar.gz, .tar.xz or .tar.zst"
}

// OCI says so of an image of the catalogue.
func (i Image) OCI() string { return cmp.Or(OCI(i.URL), OCI(i.FileName), OCI(i.Volume)) }
