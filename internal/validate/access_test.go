package validate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// messages of faults.
func messages(errs field.ErrorList) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}

	return out
}

func TestSSHKeys(t *testing.T) {
	const (
		oneLine = "must be one public key on one line: write each key as a separate item"
		form    = "must be a public key as in a .pub file"
		private = "Invalid value: this is a private key"
	)

	cases := map[string]struct {
		reason string
		key    string
		want   string // A piece of the only message; empty: none.
	}{
		"Ed25519":        {reason: "The usual type.", key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"},
		"RSA":            {reason: "The old type.", key: "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ=="},
		"ECDSA":          {reason: "Three curves.", key: "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAI x"},
		"Token":          {reason: "Keys on hardware tokens.", key: "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t x"},
		"TokenECDSA":     {reason: "Keys on hardware tokens.", key: "sk-ecdsa-sha2-nistp256@openssh.com AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTY x"},
		"Comment":        {reason: "A comment is free text.", key: "ssh-rsa AAAAB3NzaC1yc2E Zoë's laptop (work)"},
		"TrailingLine":   {reason: "A line end around a key is trimmed later.", key: " ssh-rsa AAAAB3NzaC1yc2E x\n"},
		"Empty":          {reason: "Nothing is no key.", key: "  ", want: "Required value"},
		"TwoLines":       {reason: "Two keys are two items.", key: "ssh-rsa AAAAB3NzaC1yc2E x\nssh-rsa AAAAB3NzaC1yc2E y", want: oneLine},
		"CarriageReturn": {reason: "A carriage return is a line end.", key: "ssh-rsa AAAAB3NzaC1yc2E x\ry", want: oneLine},
		"DSA":            {reason: "OpenSSH has dropped this type.", key: "ssh-dss AAAAB3NzaC1kc3MAAACBAP x", want: "is a DSA key"},
		"Options":        {reason: "What sshd's file may have before a key.", key: `from="10.0.0.0/8,!10.0.0.9",no-port-forwarding ssh-rsa AAAAB3NzaC1yc2E x`},
		"Command":        {reason: "A value may have blanks, commas and quotes.", key: `restrict,command="echo \"a, b\" ssh-rsa" ssh-rsa AAAAB3NzaC1yc2E x`},
		"OptionsOnly":    {reason: "Options are no key.", key: `from="10.0.0.1"`, want: form},
		"OptionUnknown":  {reason: "sshd ignores a key with an option that it does not know.", key: `fron="10.0.0.1" ssh-rsa AAAAB3NzaC1yc2E x`, want: form},
		"OptionUnquoted": {reason: "A value has quotes.", key: `from=10.0.0.1 ssh-rsa AAAAB3NzaC1yc2E x`, want: form},
		"OptionOpen":     {reason: "A quote is closed.", key: `from="10.0.0.1 ssh-rsa AAAAB3NzaC1yc2E x`, want: form},
		"Placeholder":    {reason: "A placeholder lets nobody in.", key: "ssh-ed25519 AAAA... ops@home", want: form},
		"NotBase64":      {reason: "The data is base64.", key: "ssh-rsa AAAA!!!! x", want: form},
		"NoType":         {reason: "The type comes first.", key: "AAAAB3NzaC1yc2E", want: form},
		"Bell":           {reason: "Control characters do not belong into a line.", key: "ssh-rsa AAAAB3NzaC1yc2E a\x07b", want: form},
		"Private":        {reason: "A private key is not shown.", key: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA", want: private},
		"PrivateInside":  {reason: "Wherever it is.", key: "x -----BEGIN RSA PRIVATE KEY----- b3BlbnNza", want: private},
		"Account":        {reason: "cloud-init's ssh_import_id, in the wrong place.", key: "gh:octocat", want: "https://github.com/NAME.keys"},
		"Address":        {reason: "Nobody fetches it.", key: "https://github.com/octocat.keys", want: "nobody fetches keys from it"},
		"File":           {reason: "Terraform reads files.", key: "~/.ssh/id_ed25519.pub", want: "is the name of a file"},
		"FileAlone":      {reason: "Without a folder.", key: "id_ed25519.pub", want: "is the name of a file"},
		"Huge":           {reason: "A megabyte is not shown.", key: "ssh-rsa AAAA" + strings.Repeat("A", 1<<20), want: "must be at most 8192 characters long"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := messages(SSHKeys(field.NewPath("keys"), []string{tc.key}))

			if (tc.want == "") != (len(got) == 0) || len(got) > 1 || (len(got) == 1 && !strings.Contains(got[0], tc.want)) {
				t.Errorf("%s\nSSHKeys(%.80q): want %q, got %q", tc.reason, tc.key, tc.want, got)
			}

			if s := strings.Join(got, ""); strings.Contains(s, "b3BlbnNza") || len(s) > 500 {
				t.Errorf("%s\nSSHKeys(...): the message shows too much: %.600s", tc.reason, s)
			}
		})
	}
}

func TestFlakeRef(t *testing.T) {
	const (
		user  = "Invalid value: must not contain a user name or a password"
		forms = "must be git+https://"
		odd   = "must not contain blanks, quotes"
		after = "the part after #"
	)

	cases := map[string]struct {
		reason string
		ref    string
		want   string
	}{
		"HTTPS":         {reason: "Any Git server.", ref: "git+https://git.home.arpa/infra?ref=main&dir=nix#dns01"},
		"NoName":        {reason: "The host's name is the default.", ref: "git+https://git.home.arpa/infra"},
		"Port":          {reason: "A server has a port.", ref: "git+https://git.home.arpa:3000/a/b.git?rev=0123456789abcdef&shallow=1#dns-01"},
		"SSH":           {reason: "A deploy key has an account.", ref: "git+ssh://git@git.home.arpa/infra?ref=main#dns01"},
		"SSHColon":      {reason: "As git clone has it, behind a scheme: NixOS/nix issue 3987.", ref: "git+ssh://git@git.home.arpa:me/infra.git?ref=main#x", want: "write git+ssh://git@git.home.arpa/me/infra.git?ref=main"},
		"SSHPlain":      {reason: "A deploy key has an account there, too.", ref: "ssh://git@git.home.arpa/infra#x", want: "write git+ssh://git@git.home.arpa/infra"},
		"SSHPlainColon": {reason: "Both.", ref: "ssh://git@git.home.arpa:me/infra#x", want: "write git+ssh://git@git.home.arpa/me/infra"},
		"SSHPlainWord":  {reason: "A password is not shown.", ref: "ssh://git:s3cret@git.home.arpa/infra#x", want: user},
		"Daemon":        {reason: "git's own protocol has no TLS.", ref: "git://git.home.arpa/infra#x", want: "without TLS"},
		"GitHub":        {reason: "By its API.", ref: "github:owner/repo/branch#name"},
		"GitHubQuery":   {reason: "With a folder.", ref: "github:owner/repo?dir=nix#name"},
		"GitLab":        {reason: "By its API, with groups.", ref: "gitlab:group%2Fsub/repo#name"},
		"GitLabPage":    {reason: "As the browser has it.", ref: "https://gitlab.com/owner/repo#x", want: "write gitlab:owner/repo, "},
		"GitLabTree":    {reason: "A page of the repository.", ref: "https://gitlab.com/owner/repo/-/tree/main#x", want: "write gitlab:owner/repo, "},
		"GitLabGroups":  {reason: "gitlab:owner/sub/repo is branch repo of owner/sub.", ref: "https://gitlab.com/owner/sub/repo#x", want: "write git+https://gitlab.com/owner/sub/repo, since gitlab: takes"},
		"Password":      {reason: "A password is not shown.", ref: "git+https://me:s3cret@host/repo#x", want: user},
		"User":          {reason: "A user may be a token.", ref: "git+https://s3cret@host/repo#x", want: user},
		"SSHPassword":   {reason: "A password is not shown.", ref: "git+ssh://git:s3cret@host/repo#x", want: user},
		"SlashPassword": {reason: "Not even one with a slash.", ref: "git+https://me:s3/cret@host/repo#x", want: user},
		"HTTP":          {reason: "What is run as root comes over TLS.", ref: "git+http://host/repo#x", want: forms},
		"File":          {reason: "There is no such file in the machine.", ref: "git+file:///srv/infra#x", want: forms},
		"Path":          {reason: "There is no such folder in the machine.", ref: "path:/srv/infra#x", want: forms},
		"Relative":      {reason: "Nor this one.", ref: "./infra#x", want: forms},
		"Registry":      {reason: "A registry's name is somebody's alias.", ref: "nixpkgs#hello", want: forms},
		"NoHost":        {reason: "A server has a name.", ref: "git+https:///repo#x", want: forms},
		"NoRepository":  {reason: "A server has many repositories.", ref: "git+https://host#x", want: forms},
		"HalfGitHub":    {reason: "An owner has many repositories.", ref: "github:owner#x", want: forms},
		"Blank":         {reason: "A blank ends an argument.", ref: "github:a/b #x", want: odd},
		"LineEnd":       {reason: "A line end ends a file's line.", ref: "github:a/b#x\n", want: odd},
		"Quote":         {reason: "A quote opens a shell's.", ref: `github:a/b#x"; reboot`, want: odd},
		"Template":      {reason: "A template is evaluated by the provider.", ref: "github:a/${b}#x", want: odd},
		"Backtick":      {reason: "A backtick is evaluated by a shell.", ref: "github:a/`id`#x", want: odd},
		"EmptyName":     {reason: "What begins with # goes on.", ref: "github:a/b#", want: after},
		"TwoNames":      {reason: "One name.", ref: "github:a/b#x#y", want: after},
		"Attribute":     {reason: "A name of a configuration, no path of attributes.", ref: "github:a/b#x/y", want: after},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := messages(FlakeRef(field.NewPath("flakeRef"), tc.ref))

			if (tc.want == "") != (len(got) == 0) || len(got) > 1 || (len(got) == 1 && !strings.Contains(got[0], tc.want)) {
				t.Errorf("%s\nFlakeRef(%q): want %q, got %q", tc.reason, tc.ref, tc.want, got)
			}

			if s := strings.Join(got, ""); strings.Contains(s, "s3cret") || strings.Contains(s, "s3/cret") {
				t.Errorf("%s\nFlakeRef(...): the message shows a password: %s", tc.reason, s)
			}
		})
	}
}

func TestK3sTokenIsNotShown(t *testing.T) {
	const secret = "K10f00::server:s3cret"

	for name, token := range map[string]*v1alpha1.K3sToken{
		"File":       {File: secret},
		"SecretName": {SecretRef: &v1alpha1.SecretKeyRef{Name: secret}, AllowPlaintext: true},
		"SecretKey":  {SecretRef: &v1alpha1.SecretKeyRef{Name: "a", Key: secret}, AllowPlaintext: true},
		"Both":       {SecretRef: &v1alpha1.SecretKeyRef{Name: secret}, File: secret},
	} {
		got := messages(K3sToken(field.NewPath("token"), token))
		if len(got) == 0 {
			t.Errorf("%s: want a fault", name)
		}

		if strings.Contains(strings.Join(got, ""), "s3cret") {
			t.Errorf("%s: the message shows the token: %q", name, got)
		}
	}
}

func TestSnippets(t *testing.T) {
	s := v1alpha1.Snippets{UserData: "local:snippets/a.yaml", VendorData: "local:snippets/a.yaml", MetaData: "local:snippets/a.yaml"}

	want := []string{
		`s.metaData: Invalid value: "local:snippets/a.yaml": userData, vendorData and metaData must be different files`,
		`s.vendorData: Invalid value: "local:snippets/a.yaml": userData, vendorData and metaData must be different files`,
	}
	if diff := cmp.Diff(want, messages(snippets(field.NewPath("s"), s))); diff != "" {
		t.Errorf("Three kinds of data are three files: -want, +got:\n%s", diff)
	}
}

// TestBrokenSSHKey: a key of which a part is missing looks like one, and lets nobody in.
func TestBrokenSSHKey(t *testing.T) {
	const (
		whole = "AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam"
		token = "AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0examAAAABHNzaDo="
	)

	cases := map[string]struct{ reason, key, want string }{
		"Whole":      {reason: "As ssh-keygen writes it.", key: "ssh-ed25519 " + whole + " ops@home"},
		"NoComment":  {reason: "A comment is free.", key: "ssh-ed25519 " + whole},
		"Options":    {reason: "The data comes after the options.", key: `from="10.0.0.0/8" ssh-ed25519 ` + whole + " x"},
		"Tokens":     {reason: "Three fields.", key: "sk-ssh-ed25519@openssh.com " + token + " me"},
		"NoPadding":  {reason: "sshd takes it.", key: "sk-ssh-ed25519@openssh.com " + strings.TrimRight(token, "=") + " me"},
		"Cut":        {reason: "A terminal's width.", key: "ssh-ed25519 " + whole[:48] + " x", want: "is cut off"},
		"CutByOne":   {reason: "The last letter.", key: "ssh-ed25519 " + whole[:67] + " x", want: "is cut off"},
		"TypeOnly":   {reason: "A field is missing.", key: "ssh-rsa AAAAB3NzaC1yc2E= x", want: "is cut off"},
		"OtherType":  {reason: "Two lines mixed up.", key: "ssh-rsa " + whole + " x", want: "is cut off"},
		"OtherToken": {reason: "Two lines mixed up.", key: "ssh-rsa " + token + " x", want: "has the data of a key of type sk-ssh-ed25519@openssh.com"},
		"NoKey":      {reason: "The rule of keys says what it is, once.", key: "~/.ssh/id_ed25519.pub"},
		"Longer":     {reason: "Two keys without a line end between.", key: "ssh-ed25519 " + whole + "AAAAAA== x", want: "damaged"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := BrokenSSHKey(tc.key)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
