package cloudinit

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestFingerprintIsStable(t *testing.T) {
	// Written down: a machine's files are named after it, so it must not change
	// from one build of the function to the next.
	const want = "2e0f820fa2"

	if got := machine().Fingerprint(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	if !regexp.MustCompile(`^[0-9a-f]{10}$`).MatchString(Document{}.Fingerprint()) {
		t.Error("the fingerprint is not 10 hexadecimal digits")
	}
}

func TestFingerprintLeavesConstantContentOut(t *testing.T) {
	d := machine()
	d.WriteFiles[0].Content += "# a better script\n"

	if d.Fingerprint() != machine().Fingerprint() {
		t.Error("a better script changed the fingerprint")
	}
}

// TestFingerprintLeavesFilesOfLaterReleasesOut: a VM was made without them, and its claim has not changed.
func TestFingerprintLeavesFilesOfLaterReleasesOut(t *testing.T) {
	d := machine()
	d.WriteFiles = append(d.WriteFiles, File{Path: "/etc/later", Content: "x", Constant: true, Since: ReleaseV020})

	if d.Fingerprint() != machine().Fingerprint() {
		t.Error("a file that no claim asked for changed the fingerprint")
	}

	if now := d.As(ReleaseV020); len(now.WriteFiles) != len(d.WriteFiles) {
		t.Errorf("the release that adds the file does not write it: %v", now.WriteFiles)
	}

	if diff := cmp.Diff(machine().WriteFiles, d.As(ReleaseV010).WriteFiles); diff != "" {
		t.Errorf("as the first release wrote it: -want, +got:\n%s", diff)
	}
}

func TestFingerprintSeesEveryField(t *testing.T) {
	changes := map[string]func(d *Document){
		"Hostname":               func(d *Document) { d.Hostname = "x" },
		"FQDN":                   func(d *Document) { d.FQDN = "x" },
		"PreferFQDN":             func(d *Document) { d.PreferFQDNOverHostname = new(true) },
		"PreferFQDNUnset":        func(d *Document) { d.PreferFQDNOverHostname = nil },
		"PreserveHostname":       func(d *Document) { d.PreserveHostname = nil },
		"ManageEtcHosts":         func(d *Document) { d.ManageEtcHosts = "" },
		"UserName":               func(d *Document) { d.Users[0].Name = "x" },
		"UserGecos":              func(d *Document) { d.Users[0].Gecos = "x" },
		"UserPrimaryGroup":       func(d *Document) { d.Users[0].PrimaryGroup = "x" },
		"UserGroups":             func(d *Document) { d.Users[0].Groups = []string{"admsudo"} },
		"UserHomeDir":            func(d *Document) { d.Users[0].HomeDir = "x" },
		"UserShell":              func(d *Document) { d.Users[0].Shell = "x" },
		"UserSudo":               func(d *Document) { d.Users[0].Sudo = "" },
		"UserLockPasswd":         func(d *Document) { d.Users[0].LockPasswd = new(false) },
		"UserHashedPasswd":       func(d *Document) { d.Users[0].HashedPasswd = "" },
		"UserKeys":               func(d *Document) { d.Users[0].SSHAuthorizedKeys = nil },
		"DefaultUser":            func(d *Document) { d.Users = d.Users[:1] },
		"SSHPasswordAuth":        func(d *Document) { d.SSHPasswordAuth = new(true) },
		"DisableRoot":            func(d *Document) { d.DisableRoot = new(false) },
		"SSHAuthorizedKeys":      func(d *Document) { d.SSHAuthorizedKeys = nil },
		"SSHDeleteKeys":          func(d *Document) { d.SSHDeleteKeys = new(false) },
		"SSHGenKeyTypes":         func(d *Document) { d.SSHGenKeyTypes = nil },
		"PackageUpdate":          func(d *Document) { d.PackageUpdate = new(false) },
		"PackageUpgrade":         func(d *Document) { d.PackageUpgrade = new(true) },
		"Packages":               func(d *Document) { d.Packages = []string{"qemu-guest-agentcurl"} },
		"ExtraValue":             func(d *Document) { d.Extra["timezone"] = "UTC" },
		"ExtraType":              func(d *Document) { d.Extra["timezone"] = nil },
		"ExtraDeep":              func(d *Document) { d.Extra["growpart"].(map[string]any)["mode"] = "off" },
		"FilePath":               func(d *Document) { d.WriteFiles[0].Path = "/x" },
		"FilePermissions":        func(d *Document) { d.WriteFiles[0].Permissions = "0755" },
		"FileOwner":              func(d *Document) { d.WriteFiles[0].Owner = "" },
		"FileContent":            func(d *Document) { d.WriteFiles[1].Content = "x" },
		"FileAppend":             func(d *Document) { d.WriteFiles[2].Append = false },
		"FileDefer":              func(d *Document) { d.WriteFiles[2].Defer = false },
		"FileOrder":              func(d *Document) { f := d.WriteFiles; f[0], f[1] = f[1], f[0] },
		"RunCmdWords":            func(d *Document) { d.RunCmd[0] = []string{"systemctl daemon-reload"} },
		"RunCmdBorder":           func(d *Document) { d.RunCmd = [][]string{append(d.RunCmd[0], d.RunCmd[1]...), d.RunCmd[2]} },
		"FinalMessage":           func(d *Document) { d.FinalMessage = "" },
		"AddedUser":              func(d *Document) { merge(d, "users: [ann]") },
		"AddedKey":               func(d *Document) { merge(d, "ssh_authorized_keys: [ssh-ed25519 AAAA ann@home]") },
		"AddedPackage":           func(d *Document) { merge(d, "packages: [vim]") },
		"AddedPackageWithDetail": func(d *Document) { merge(d, "packages: [[vim, '9']]") },
		"AddedFile":              func(d *Document) { merge(d, "write_files: [{path: /x, content: y}]") },
		"AddedCommand":           func(d *Document) { merge(d, "runcmd: [ls]") },
		"AddedKeyOfTopLevel":     func(d *Document) { merge(d, "locale: de_DE.UTF-8") },
		"AddedNumber":            func(d *Document) { merge(d, "x: 1") },
		"AddedText":              func(d *Document) { merge(d, "x: '1'") },
	}

	seen := map[string]string{machine().Fingerprint(): "unchanged"}

	for name, change := range changes {
		d := machine()
		change(&d)

		got := d.Fingerprint()
		if other, twice := seen[got]; twice {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}

		seen[got] = name
	}
}

func TestFingerprintIgnoresLayout(t *testing.T) {
	one, two := machine(), machine()
	merge(&one, "locale: de_DE.UTF-8\nx: {a: [1, two]}\nwrite_files:\n- path: /x\n  content: \"a\\nb\\n\"")
	merge(&two, "# why\nlocale:   'de_DE.UTF-8' # here\nx:\n  a:\n  - 1\n  - two\nwrite_files:\n- {path: /x, content: &c 'a\n\n  b\n\n  '}")

	if one.Fingerprint() != two.Fingerprint() {
		t.Error("comments and layout changed the fingerprint")
	}
}

// merge adds YAML that is known to be good.
func merge(d *Document, text string) {
	extra, faults := ParseUserData(Header+"\n"+text, field.NewPath("spec"))
	faults = append(faults, d.Merge(extra, MachineRules(), field.NewPath("spec"))...)

	if len(faults) > 0 {
		panic(faults.ToAggregate())
	}
}

func BenchmarkFingerprint(b *testing.B) {
	d := machine()
	d.WriteFiles[0].Content = strings.Repeat(script, 200)
	merge(&d, "users: [ann]\npackages: [vim, htop]\nwrite_files: [{path: /x, content: y}]\nruncmd: [ls]\nlocale: de_DE.UTF-8")

	for b.Loop() {
		if d.Fingerprint() == "" {
			b.Fatal("no fingerprint")
		}
	}
}
