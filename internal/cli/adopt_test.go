package cli

import (
	"strings"
	"testing"
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
		"Claim":     {reason: "a VM that is fit gets a claim", stdin: config, args: []string{"108", "-n", "infra"}, out: "adopt: {vmId: 108}"},
		"Unfit":     {reason: "a VM that is not says why", stdin: `{"template": 1}`, args: []string{"108"}, want: ExitFound, err: "VM 108 cannot be adopted as it is. It is a template"},
		"Container": {
			reason: "a container gets one, too", stdin: `{"rootfs": "x"}`, args: []string{"108", "--node", "pve"}, out: "kind: Container\n",
			err: "# size.disk: the container keeps its root file system",
		},
		"Nodeless": {reason: "a container needs its node", stdin: `{"rootfs": "x"}`, args: []string{"108"}, want: ExitFound, err: "name it with --node"},
		"Name":      {reason: "a name that no claim can have", stdin: config, args: []string{"108", "--name", "My_NAS"}, want: ExitFound, err: "metadata.name"},
		"NoNumber":  {reason: "a name is no VMID", args: []string{"omv"}, want: ExitUsage, err: `"omv" is no VMID`},
		"Nothing":   {reason: "a VM has to be named", want: ExitUsage, err: "name the VMIDs"},
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
