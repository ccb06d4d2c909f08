package boot

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
	"github.com/homelab-io/function-proxmox-machine/test/boot/sandbox"
)

// checks that every guest has to pass. Each returns what is wrong.
var checks = map[string]func(want, *sandbox.Guest) []string{
	"CloudInitIsContent": cloudInitIsContent,
	"SchemaIsValid":      schemaIsValid,
	"HostName":           hostName,
	"WrittenFiles":       writtenFiles,
	"Accounts":           accounts,
	"SSH":                sshSettings,
	"NoSecretIsOpen":     noSecretIsOpen,
	"GuestAgent":         guestAgent,
	"Units":              units,
	"K3sConfig":          k3sConfig,
}

type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

func (f *faults) equal(what, got, want string) {
	if got != want {
		f.add("%s is %q; want %q", what, got, want)
	}
}

func cloudInitIsContent(w want, g *sandbox.Guest) []string {
	f := faults{}

	if w.offline {
		if len(g.Errors) != 1 || !strings.Contains(g.Errors[0], "scripts-user") {
			f.add("cloud-init reports %q; want that the last command of runcmd failed without a network", g.Errors)
		}

		return f
	}

	for _, e := range g.Errors {
		f.add("cloud-init reports: %s", e)
	}

	for stage := range strings.SplitSeq(g.Fact("failed"), "\n") {
		// A name that nothing resolves is looked at elsewhere.
		if stage != "" && !strings.HasPrefix(stage, "fqdn:") && !strings.HasPrefix(stage, "verify-") {
			f.add("failed: %s", stage)
		}
	}

	for line := range strings.SplitSeq(g.Files["/var/log/cloud-init.log"].Content, "\n") {
		// What a sandbox lacks, a disk below its root; and what Proxmox writes itself.
		if strings.Contains(line, "Device '/dev/overlay' did not exist") || w.native && strings.Contains(line, "'user' of type string is deprecated") {
			continue
		}

		if strings.Contains(line, "[WARNING]") || strings.Contains(line, "[ERROR]") || strings.Contains(line, "Traceback") {
			f.add("cloud-init.log: %s", line)
		}
	}

	return f
}

func schemaIsValid(_ want, g *sandbox.Guest) []string {
	f := faults{}
	if out := g.Fact("schema"); !strings.HasPrefix(out, "Valid cloud-config") {
		f.add("cloud-init schema: %s %s", out, g.Fact("schema.err"))
	}

	return f
}

func hostName(w want, g *sandbox.Guest) []string {
	f := faults{}
	full := w.name

	if w.domain != "" {
		full += "." + w.domain
	}

	f.equal("the host name", g.Fact("hostname-final"), w.name)
	f.equal("/etc/hostname", g.Fact("etc-hostname"), w.name)

	// With meta-data of our own the name is there before the first DHCP request.
	if !w.native && !w.preplaced {
		f.equal("the host name before the network", g.Fact("hostname-init-local"), w.name)
	}

	// NixOS resolves its own name.
	if w.nixos {
		return f
	}

	f.equal("hostname --fqdn", g.Fact("fqdn"), full)

	if !slices.ContainsFunc(strings.Split(g.Fact("hosts"), "\n"), func(line string) bool {
		names := strings.Fields(line)

		return len(names) > 1 && strings.HasPrefix(names[0], "127.") && slices.Contains(names[1:], w.name)
	}) {
		f.add("/etc/hosts has no line for %s: %s", w.name, g.Fact("hosts"))
	}

	return f
}

func writtenFiles(w want, g *sandbox.Guest) []string {
	f := faults{}

	for i, wanted := range w.files {
		later := slices.ContainsFunc(w.files[i+1:], func(o writtenFile) bool { return o.Path == wanted.Path })
		if later || wanted.Append || wanted.Encoding != "" {
			continue
		}

		got, ok := g.Files[wanted.Path]
		if !ok {
			f.add("%s was not written", wanted.Path)

			continue
		}

		mode, owner := uint64(0o644), "root:root"

		if wanted.Permissions != "" {
			mode, _ = strconv.ParseUint(wanted.Permissions, 8, 32)
		}

		if wanted.Owner != "" {
			owner = wanted.Owner
		}

		f.equal("the mode of "+wanted.Path, got.Mode.String(), fs.FileMode(mode).String())
		f.equal("the owner of "+wanted.Path, got.Owner, owner)
		f.equal("the content of "+wanted.Path, got.Content, wanted.Content)
	}

	return f
}

func accounts(w want, g *sandbox.Guest) []string {
	f := faults{}
	known := []string{"root", w.admin}

	for _, u := range documents.List(w.userData, "users") {
		known = append(known, documents.Text(u, "name"))
	}

	all := g.Accounts()
	for _, a := range all {
		if !slices.Contains(known, a.Name) {
			f.add("there is an account %s that nobody asked for", a.Name)
		}

		if !a.Locked {
			f.add("the account %s has a password", a.Name)
		}
	}

	i := slices.IndexFunc(all, func(a sandbox.Account) bool { return a.Name == w.admin })
	if i < 0 {
		f.add("there is no account %s", w.admin)

		return f
	}

	keys := slices.Clone(all[i].Keys)
	slices.Sort(keys)

	if !slices.Equal(keys, w.keys) {
		f.add("%s has the keys %q; want %q", w.admin, keys, w.keys)
	}

	file := g.Files[all[i].Home+"/.ssh/authorized_keys"]
	f.equal("the mode of the admin's authorized_keys", file.Mode.String(), "-rw-------")
	f.equal("the owner of the admin's authorized_keys", file.Owner, w.admin+":"+w.admin)

	if !slices.Contains(all[i].Groups, "sudo") && !slices.Contains(all[i].Groups, "wheel") {
		f.add("%s is in neither sudo nor wheel, but in %q", w.admin, all[i].Groups)
	}

	// cloud-init leaves root a key that runs a message and ends the session.
	for _, key := range all[0].Keys {
		if !strings.Contains(key, "Please login as the user") {
			f.add("root can log in with %q", key)
		}
	}

	return f
}

func sshSettings(w want, g *sandbox.Guest) []string {
	f := faults{}
	// Proxmox's own user-data leaves sshd as the image has it. No account has a password there, which accounts checks.
	if w.nixos || w.native {
		return f
	}

	f.equal("sshd's passwordauthentication", g.SSHD("passwordauthentication"), "no")
	f.equal("sshd's kbdinteractiveauthentication", g.SSHD("kbdinteractiveauthentication"), "no")
	f.equal("sshd's pubkeyauthentication", g.SSHD("pubkeyauthentication"), "yes")

	if root := g.SSHD("permitrootlogin"); root != "no" && root != "without-password" {
		f.add("sshd's permitrootlogin is %q", root)
	}

	return f
}

// noSecretIsOpen looks through all that was written: also cloud-init's copies, its logs, and what systemctl was told.
func noSecretIsOpen(w want, g *sandbox.Guest) []string {
	f := faults{}

	for _, secret := range w.secrets {
		for _, path := range g.WorldReadable() {
			if strings.Contains(g.Files[path].Content, secret) {
				f.add("everybody can read a secret in %s (%s)", path, g.Files[path].Mode)
			}
		}

		for path := range g.Files {
			if strings.Contains(path, secret) {
				f.add("the name of a file is a secret")
			}
		}

		for _, name := range []string{"calls", "init-local.log", "init.log", "config.log", "final.log"} {
			if strings.Contains(g.Fact(name), secret) {
				f.add("a secret was printed: %s", name)
			}
		}
	}

	return f
}

func guestAgent(w want, g *sandbox.Guest) []string {
	f := faults{}

	wanted := slices.Contains(documents.Texts(w.userData, "packages"), "qemu-guest-agent")
	if wanted && !strings.Contains(g.Fact("final.log")+g.Files["/var/log/cloud-init-output.log"].Content, "qemu-guest-agent is already the newest version") {
		f.add("apt was not asked for the guest agent")
	}

	return f
}

// units that are started are there, or come with the image, and what can never succeed in a boot is not asked for.
func units(w want, g *sandbox.Guest) []string {
	f := faults{}
	started := map[string]bool{}

	if said := g.UnitFaults(); said != "" {
		f.add("systemd-analyze verify says: %s", said)
	}

	for _, call := range g.Calls() {
		args := strings.Fields(call)
		if len(args) < 3 || args[0] != "systemctl" {
			continue
		}

		started[args[1]+" "+args[len(args)-1]] = true
	}

	for _, file := range w.files {
		if file.Path != "/etc/systemd/system/k3s-bootstrap.service" {
			continue
		}

		for _, call := range []string{"enable k3s-bootstrap.service", "start k3s-bootstrap.service"} {
			if !started[call] {
				f.add("nobody asked systemd to %s", call)
			}
		}
	}

	return f
}
