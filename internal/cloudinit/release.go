package cloudinit

import "slices"

// A Release is a release of the function, as far as releases write different documents for the same claim. VMs of an earlier release
// keep their document, so the function must know what the earlier release wrote: see [Document.As]. Releases are in the order
// of their versions.
type Release int

// The releases that changed what documents contain beside the claim's own settings.
const (
	// ReleaseV010 is the first release. It is the zero value.
	ReleaseV010 Release = iota
	// ReleaseV020 adds the kubelet's configuration and a login message to K3s nodes, gives the user's ssh_authorized_keys to the
	// account adminUser, and names the primary group of an account that has the name of a group of the image.
	ReleaseV020
)

const latestRelease = ReleaseV020

// FormerReleases returns the releases that write other documents than the present one.
func FormerReleases() []Release {
	return []Release{ReleaseV010}
}

// As returns the document as a release wrote it: without the files that later releases add, with the content of that release, and
// with SSH keys where that release left them.
func (d Document) As(release Release) Document {
	d.WriteFiles = filesUntil(release, d.WriteFiles)

	if release < ReleaseV020 {
		d = d.WithFormerContent()
		d.added.account = nil
	}

	return d
}

// WithFormerContent returns the document with the content that releases before v0.2.0 wrote into its files, and with accounts as they
// wrote them.
func (d Document) WithFormerContent() Document {
	if slices.ContainsFunc(d.Users, func(u User) bool { return u.PrimaryGroup != "" }) {
		d.Users = slices.Clone(d.Users)
		for i := range d.Users {
			d.Users[i].PrimaryGroup = ""
		}
	}

	if !slices.ContainsFunc(d.WriteFiles, func(f File) bool { return f.Former != "" }) {
		return d
	}

	d.WriteFiles = slices.Clone(d.WriteFiles)

	for i, f := range d.WriteFiles {
		if f.Former != "" {
			d.WriteFiles[i].Content, d.WriteFiles[i].Former = f.Former, ""
		}
	}

	return d
}

// filesUntil are the files that a release writes, and those before it.
func filesUntil(release Release, files []File) []File {
	later := func(f File) bool { return f.Since > release }
	if !slices.ContainsFunc(files, later) {
		return files
	}

	return slices.DeleteFunc(slices.Clone(files), later)
}
