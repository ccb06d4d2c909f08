package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/adopt"
)

func TestAdopt(t *testing.T) {
	const config = `{"name": "omv", "net0": "virtio=BC:24:11:00:00:08,bridge=vmbr0"}`

	cases := map[string]struct {
		reason string
		stdin  string
		args   []string
		want   ExitCode
		out    string
		err    string
	}{
		"Claim": {reason: "a VM that is fit gets a claim", stdin: config, args: []string{"108", "-n", "infra"}, out: "adopt: {vmId: 108}"},
		"Unfit": {reason: "a VM that is not says why", stdin: `{"template": 1}`, args: []string{"108"}, want: ExitFound, err: "VM 108 cannot be adopted as it is. It is a template"},
		"Container": {
			reason: "a container gets one, too", stdin: `{"rootfs": "x"}`, args: []string{"108", "--node", "pve"}, out: "kind: Container\n",
			err: "# size.disk: the container keeps its root file system",
		},
		"Nodeless": {reason: "a container needs its node", stdin: `{"rootfs": "x"}`, args: []string{"108"}, want: ExitFound, err: "name it with --node"},
		"Name":     {reason: "a name that no claim can have", stdin: config, args: []string{"108", "--name", "My_NAS"}, want: ExitFound, err: "metadata.name"},
		"NoNumber": {reason: "a name is no VMID", args: []string{"omv"}, want: ExitUsage, err: `"omv" is no VMID`},
		"Nothing":  {reason: "a VM has to be named", want: ExitUsage, err: "name the VMIDs"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, err := runAt(t, tc.stdin, append([]string{"adopt"}, tc.args...)...)
			if code != tc.want || !strings.Contains(err, tc.err) || !strings.Contains(out, tc.out) {
				t.Errorf("%s: want exit code %d, %q and %q, got %d and\n%s%s", tc.reason, tc.want, tc.out, tc.err, code, out, err)
			}
		})
	}
}

const guests = `{"path": "/nodes/pve/lxc/113/config", "answer": {"rootfs": "local-lvm:vm-113-disk-0,size=8G", "hostname": "omv"}}
{"path": "/nodes/pve/qemu/108/config", "answer": {"name": "omv"}}
{"path": "/nodes/pve/qemu/9000/config", "answer": {"template": 1}}
{"path": "/nodes/down/qemu/120/config", "answer": null}
`

func TestAdoptSeveral(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   ExitCode
		claims []string // VMIDs, in their order.
		err    []string
	}{
		"Named":   {reason: "one document for each, by VMID", args: []string{"113", "108"}, claims: []string{"108", "113"}},
		"Range":   {reason: "a range names those that there are", args: []string{"100-119"}, claims: []string{"108", "113"}},
		"Twice":   {reason: "a guest that is named twice has one claim", args: []string{"108", "100-110", "108"}, claims: []string{"108"}},
		"Missing": {reason: "what is not there is said, and the rest is written", args: []string{"108", "109"}, want: ExitFound, claims: []string{"108"}, err: []string{"109 cannot be adopted: there is no such VM"}},
		"Empty":   {reason: "a range without guests is a mistake", args: []string{"200-300"}, want: ExitFound, err: []string{"200-300 cannot be adopted: there is no such VM"}},
		"All": {
			reason: "what cannot be adopted is said, each", args: []string{"--all"}, want: ExitFound, claims: []string{"108", "113"},
			err: []string{"VM 9000 cannot be adopted as it is. It is a template", "120 cannot be adopted: Proxmox does not say its configuration. Is node down up?", "2 guests cannot be adopted; 2 claims written"},
		},
		"Backwards": {reason: "a range has its ends in order", args: []string{"119-100"}, want: ExitUsage, err: []string{"its end is before its beginning"}},
		"AllAndOne": {reason: "all are all", args: []string{"--all", "108"}, want: ExitUsage, err: []string{"--all takes no VMIDs"}},
		"OneName":   {reason: "a name is one claim's", args: []string{"108", "113", "--name", "x"}, want: ExitUsage, err: []string{"--name is for the claim of a single guest"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, err := runAt(t, guests, append([]string{"adopt"}, tc.args...)...)

			var claims []string
			for _, m := range regexp.MustCompile(`adopt: {vmId: ([0-9]+)}`).FindAllStringSubmatch(out, -1) {
				claims = append(claims, m[1])
			}

			if diff := cmp.Diff(tc.claims, claims); diff != "" || code != tc.want {
				t.Errorf("%s: want exit code %d, got %d; claims: -want, +got:\n%s\n%s", tc.reason, tc.want, code, diff, err)
			}

			for _, want := range tc.err {
				if !strings.Contains(err, want) {
					t.Errorf("%s: want %q in:\n%s", tc.reason, want, err)
				}
			}
		})
	}
}

// TestAdoptIntoFolder: a file for each claim, and none is overwritten.
func TestAdoptIntoFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "claims")

	if code, out, err := runAt(t, guests, "adopt", "108", "113", "--output-dir", folder); code != 0 || out != "" {
		t.Fatalf("got %d, %s%s", code, out, err)
	}

	for name, want := range map[string]string{"omv.yaml": "kind: Machine\n", "omv-113.yaml": "kind: Container\n"} {
		b, err := os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // A file of the test.
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: want %q, got %v:\n%s", name, want, err, b)
		}
	}

	if code, _, err := runAt(t, guests, "adopt", "108", "--output-dir", folder); code != ExitFailed || !strings.Contains(err, "no file is overwritten") {
		t.Errorf("want the file to stay, got %d, %s", code, err)
	}
}

// TestAdoptAloneNeedsNumber: the configuration of one guest does not say whose it is.
func TestAdoptAloneNeedsNumber(t *testing.T) {
	if code, _, err := runAt(t, `{"name": "omv"}`, "adopt", "--all"); code != ExitUsage || !strings.Contains(err, "does not say its VMID") {
		t.Errorf("got %d, %s", code, err)
	}
}

// TestAdoptScript: the script asks for what is read.
func TestAdoptScript(t *testing.T) {
	if code, out, err := runAt(t, "", "adopt", "--script"); code != 0 || out != adopt.Script {
		t.Errorf("got %d, %s%s", code, out, err)
	}
}
