package claims

import "fmt"

// wrongDisks are disks that nobody can format or mount, or that would take the system away.
func wrongDisks() map[string]wrong {
	mounted := func(more string) string {
		return aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "#cloud-config\n"}, disks: [{name: data, size: 1Gi, ` + more + `}]}`)
	}
	out := map[string]wrong{
		"FilesystemAlone": {
			reason: "A formatted disk that is mounted nowhere is of no use.", claim: mounted(`filesystem: ext4`), xrd: true,
			want: one("spec.disks[0].mountPath", "filesystem and mountPath need each other"),
		},
		"MountPathAlone": {
			reason: "Nobody says what to format it with.", claim: mounted(`mountPath: /srv/data`), xrd: true,
			want: one("spec.disks[0].filesystem", "filesystem and mountPath need each other"),
		},
		"FilesystemUnknown": {
			reason: "The script knows two.", claim: mounted(`filesystem: btrfs, mountPath: /srv/data`), xrd: true,
			want: one("spec.disks[0].filesystem", `supported values: "ext4", "xfs"`),
		},
		"MountPathTwice": {
			reason: "The second disk would hide the first.", xrd: true,
			claim: aMachine(`{proxmox: {node: pve}, bootstrap: {userData: "#cloud-config\n"}, disks: [{name: a, size: 1Gi, filesystem: ext4, mountPath: /srv}, {name: b, size: 1Gi, filesystem: xfs, mountPath: /srv}]}`),
			want:  one("spec.disks[1].mountPath", "Duplicate value"),
		},
		"MountBesideSnippet": {
			reason: "The snippet is the whole user-data.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {snippets: {userData: "local:snippets/x.yaml"}}, disks: [{name: data, size: 1Gi, filesystem: ext4, mountPath: /srv}]}`),
			want: one("spec.disks[0].filesystem", "bootstrap.snippets.userData is already the whole user-data"),
		},
		"MountWithoutSnippets": {
			reason: "A machine that needed no SSH before would need it, and a datastore that nobody named.",
			claim:  aMachine(`{proxmox: {node: pve}, disks: [{name: data, size: 1Gi, filesystem: ext4, mountPath: /srv}]}`),
			want:   one("spec.disks[0].filesystem", "the catalogue names no datastore for snippets of node pve (datastores.snippets)"),
		},
		"MountInAnAppliance": {
			reason: "An installer reads no user-data.", claim: aMachine(`{proxmox: {node: pve}, image: "local:iso/debian.iso", disks: [{name: data, size: 1Gi, filesystem: ext4, mountPath: /srv}]}`),
			want: one("spec.disks[0].filesystem", "does not read cloud-init data"),
		},
	}

	for name, path := range map[string]string{
		"Relative": "srv/data", "Slash": "/srv/data/", "Double": "/srv//data", "Space": "/srv/my data", "Dot": "/srv/./data", "Parent": "/srv/../etc",
		"Quote": `/srv/'x`, "Newline": `/srv/x\ny`, "Glob": "/srv/*", "Specifier": "/srv/%i",
	} {
		out["MountPath"+name] = wrong{
			reason: "It stands in a table and in /etc/fstab as it is.", claim: mounted(fmt.Sprintf(`filesystem: ext4, mountPath: "%s"`, path)), xrd: true,
			want: one("spec.disks[0].mountPath", "must be an absolute path"),
		}
	}

	for name, path := range map[string]string{
		"Root": "/", "Etc": "/etc", "BelowEtc": "/etc/rancher/k3s", "Boot": "/boot/efi", "Usr": "/usr/local", "Var": "/var", "VarLib": "/var/lib", "Log": "/var/log",
		"Home": "/home", "RootHome": "/root", "CloudInit": "/var/lib/cloud", "Bootstrap": "/var/lib/k3s-bootstrap", "Tmp": "/tmp/x", "Dev": "/dev/shm",
	} {
		out["MountOver"+name] = wrong{
			reason: "The system, or its way in, would be hidden.", claim: mounted(fmt.Sprintf(`filesystem: ext4, mountPath: "%s"`, path)), xrd: true,
			want: one("spec.disks[0].mountPath", "must not be a folder of the operating system"),
		}
	}

	return out
}
