package cloudinit_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
)

// A machine's own document, and what its user adds to it.
func ExampleDocument_Merge() {
	document := cloudinit.Document{
		Hostname:         "dns01",
		PreserveHostname: new(false),
		Packages:         []string{"qemu-guest-agent"},
		RunCmd:           [][]string{{"systemctl", "start", "--no-block", "qemu-guest-agent.service"}},
	}

	path := field.NewPath("spec", "bootstrap", "userData")

	extra, faults := cloudinit.ParseUserData("#cloud-config\ntimezone: Europe/Berlin\npackages: [unbound]\nruncmd:\n- unbound-checkconf\n", path)
	faults = append(faults, document.Merge(extra, cloudinit.MachineRules(), path)...)

	text, err := document.Marshal()
	fmt.Print(len(faults), " ", err, "\n", string(text))
	// Output:
	// 0 <nil>
	// #cloud-config
	// hostname: dns01
	// preserve_hostname: false
	// packages:
	//   - qemu-guest-agent
	//   - unbound
	// timezone: Europe/Berlin
	// runcmd:
	//   - - /bin/sh
	//     - -c
	//     - |
	//       unbound-checkconf
	//   - [systemctl, start, --no-block, qemu-guest-agent.service]
}

// Faults name the line and what to do instead, all at once.
func ExampleDocument_Merge_refused() {
	document := cloudinit.Document{Hostname: "dns01"}
	path := field.NewPath("spec", "bootstrap", "userData")

	extra, _ := cloudinit.ParseUserData("#cloud-config\nhostname: dns02\nssh_pwauth: true\n", path)
	for _, fault := range document.Merge(extra, cloudinit.MachineRules(), path) {
		fmt.Println(fault)
	}
	// Output:
	// spec.bootstrap.userData: Forbidden: line 2: hostname cannot be set here: the host name comes from spec.hostname and spec.network.domain
	// spec.bootstrap.userData: Forbidden: line 3: ssh_pwauth cannot be set here: every machine allows SSH logins by key only, and not as root; set spec.bootstrap.sshAuthorizedKeys
}
