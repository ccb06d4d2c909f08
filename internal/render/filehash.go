package render

import (
	"regexp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// longHash is the form of a snippet's name with a hash of 128 bits.
var longHash = regexp.MustCompile(`-[0-9a-f]{32}\.(user|meta|vendor)-data\.yaml$`)

// snippetHash is the hash in the name of a snippet. The host name beside it is the author's choice, the provider overwrites a file of the same name, and
// what is hashed has text of the author's: with the 40 bits of earlier releases, somebody could find text whose snippet has the name of another machine's.
// What was written under a short name, or is read under one, keeps it: a VM reads its snippets at every cold start.
func (d describer) snippetHash(datastore, suffix string, parts []string) string {
	id := d.r.Machine.Identity
	short, long := id.Hash(parts...), id.LongHash(parts...)

	there := func(hash string) bool {
		volume := proxmox.FileParameters{
			DatastoreID: datastore, ContentType: "snippets", SourceRaw: []proxmox.SourceRaw{{FileName: snippetName(d.r.Machine.Hostname, hash, suffix)}},
		}.VolumeID()

		return uses(*d.vm, volume) || slices.ContainsFunc(d.observedVolumes(), func(v string) bool { return v == volume })
	}

	switch {
	case there(long):
		return long
	case there(short), d.living && !readsLongNames(*d.vm):
		return short
	}

	return long
}

// observedVolumes are the volume ids of the machine's snippets.
func (d describer) observedVolumes() []string {
	out := make([]string, 0, len(d.r.Observed.Files))
	for _, f := range d.r.Observed.Files {
		out = append(out, f.Spec.ForProvider.VolumeID())
	}

	return out
}

// readsLongNames says whether a VM was created by a release that writes long hashes.
func readsLongNames(vm proxmox.ObservedVM) bool {
	return slices.ContainsFunc(vm.Spec.ForProvider.Initialization, func(i proxmox.Initialization) bool {
		return longHash.MatchString(i.UserDataFileID) || longHash.MatchString(i.VendorDataFileID)
	})
}
