package cloudinit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMergeRefuses(t *testing.T) {
	const (
		name      = "the host name comes from spec.hostname and spec.network.domain"
		hardening = "every machine allows SSH logins by key only, and not as root; set spec.bootstrap.sshAuthorizedKeys"
		modules   = "the machine's bootstrap needs the image's own list of modules"
		source    = "the machine reads its data from Proxmox's cloud-init drive"
		merging   = "the function defines the merging, see the documentation of spec.bootstrap.userData"
	)

	cases := map[string]struct {
		reason string
		text   string
		rules  func(r *Rules)
		want   []string
	}{
		"HostName": {
			reason: "The claim names the machine; preserve_hostname would leave it without a name.",
			text:   "hostname: x\nfqdn: x.y\nprefer_fqdn_over_hostname: true\npreserve_hostname: true\ncreate_hostname_file: false\nmanage_etc_hosts: true\n",
			want: []string{
				"Forbidden: line 2: hostname cannot be set here: " + name,
				"Forbidden: line 3: fqdn cannot be set here: " + name,
				"Forbidden: line 4: prefer_fqdn_over_hostname cannot be set here: " + name,
				"Forbidden: line 5: preserve_hostname cannot be set here: " + name,
				"Forbidden: line 6: create_hostname_file cannot be set here: " + name,
				"Forbidden: line 7: manage_etc_hosts cannot be set here: " + name,
			},
		},
		"Logins": {
			reason: "Machines take no passwords; the old user key would be laid over ours.",
			text:   "ssh_pwauth: true\ndisable_root: false\nuser: {name: ops, lock_passwd: false}\n",
			want: []string{
				"Forbidden: line 2: ssh_pwauth cannot be set here: " + hardening,
				"Forbidden: line 3: disable_root cannot be set here: " + hardening,
				"Forbidden: line 4: user cannot be set here: the first user is spec.bootstrap.adminUser; add others under users",
			},
		},
		"Machinery": {
			reason: "Without these the document does not reach the machine, or half of it is not run.",
			text: "cloud_init_modules: []\ncloud_config_modules: []\ncloud_final_modules: []\ndatasource: {}\ndatasource_list: []\nvendor_data: {enabled: false}\n" +
				"network: {}\nmerge_how: x\nmerge_type: x\npower_state: {mode: reboot}\n",
			want: []string{
				"Forbidden: line 2: cloud_init_modules cannot be set here: " + modules,
				"Forbidden: line 3: cloud_config_modules cannot be set here: " + modules,
				"Forbidden: line 4: cloud_final_modules cannot be set here: " + modules,
				"Forbidden: line 5: datasource cannot be set here: " + source,
				"Forbidden: line 6: datasource_list cannot be set here: " + source,
				"Forbidden: line 7: vendor_data cannot be set here: vendor-data comes from spec.bootstrap.snippets.vendorData",
				"Forbidden: line 8: network cannot be set here: the network configuration comes from spec.network",
				"Forbidden: line 9: merge_how cannot be set here: " + merging,
				"Forbidden: line 10: merge_type cannot be set here: " + merging,
				"Forbidden: line 11: power_state cannot be set here: it would end the bootstrap",
			},
		},
		"OwnExtra": {
			reason: "What the document sets itself is not silently replaced.",
			text:   "growpart: {mode: 'off'}\n",
			want:   []string{"Forbidden: line 2: growpart cannot be set here: this machine's own cloud-config sets it"},
		},
		"VendorBootcmd": {
			reason: "Cloud-init would drop the vendor-data's list, and with it the token.",
			text:   "bootcmd: [ls]\n",
			rules:  func(r *Rules) { r.VendorBootcmd = true },
			want:   []string{"Forbidden: line 2: bootcmd cannot be set here: it would replace the bootcmd of the machine's vendor-data snippet; add your commands to that snippet"},
		},
		"NoLists": {
			reason: "Where entries are added there must be a list.",
			text:   "users: ops\npackages: {a: b}\nwrite_files: x\nruncmd: ls\nbootcmd: ls\nssh_authorized_keys: x\n",
			want: []string{
				"Invalid value: line 2: users must be a list, found a single value",
				"Invalid value: line 3: packages must be a list, found a mapping",
				"Invalid value: line 4: write_files must be a list, found a single value",
				"Invalid value: line 5: runcmd must be a list, found a single value",
				"Invalid value: line 6: bootcmd must be a list, found a single value",
				"Invalid value: line 7: ssh_authorized_keys must be a list, found a single value",
			},
		},
		"Packages": {
			reason: "One wrong entry, and cloud-init installs none.",
			text:   "packages:\n- 1\n- [a]\n- [a, b, c]\n- ''\n- [a, [b]]\n-\n",
			want: []string{
				"Invalid value: line 3: packages[0] must be a package's name or a list of name and version",
				"Invalid value: line 4: packages[1] must be a package's name or a list of name and version",
				"Invalid value: line 5: packages[2] must be a package's name or a list of name and version",
				"Invalid value: line 6: packages[3] must be a package's name or a list of name and version",
				"Invalid value: line 7: packages[4] must be a package's name or a list of name and version",
				"Invalid value: line 8: packages[5] must be a package's name or a list of name and version",
			},
		},
		"Users": {
			reason: "Our own user cannot be changed by any of the ways that cloud-init knows.",
			text:   "users:\n- ops\n- {name: ops}\n- 'ann, ops'\n- {name: ' ops '}\n- {name: default, lock_passwd: false}\n- {shell: /bin/sh}\n- [ops]\n- {name: eve}\n- eve\n",
			want: []string{
				"Forbidden: line 3: users[0] has the name of a user that this machine already creates; see spec.bootstrap.adminUser",
				"Forbidden: line 4: users[1] has the name of a user that this machine already creates; see spec.bootstrap.adminUser",
				"Forbidden: line 5: users[2] has the name of a user that this machine already creates; see spec.bootstrap.adminUser",
				"Forbidden: line 6: users[3] has the name of a user that this machine already creates; see spec.bootstrap.adminUser",
				"Forbidden: line 7: users[4] changes the image's default user; write the plain word default, or add a user with another name",
				"Invalid value: line 8: users[5] must be a name, or a mapping with a name",
				"Invalid value: line 9: users[6] must be a name, or a mapping with a name",
				"Forbidden: line 11: users[8] has the name of a user that this machine already creates; see spec.bootstrap.adminUser",
			},
		},
		"Files": {
			reason: "Our files and reserved places stay ours, however the path is written.",
			text: "write_files:\n- path: /etc/ours\n- path: /etc//x/../ours\n- path: /etc/app/conf.d/99.yaml\n- path: /etc/app/conf.d\n- path: /etc/app/token\n  append: true\n" +
				"- path: etc/x\n- content: y\n- x\n- path: \"/a\\nb\"\n",
			want: []string{
				"Forbidden: line 3: write_files[0] writes a file that the machine's bootstrap writes",
				"Forbidden: line 4: write_files[1] writes a file that the machine's bootstrap writes",
				"Forbidden: line 5: write_files[2] writes a file that cannot be set here: set spec.app.config",
				"Forbidden: line 6: write_files[3] writes a file that cannot be set here: set spec.app.config",
				"Forbidden: line 7: write_files[4] writes a file that cannot be set here: set spec.app.token",
				"Invalid value: line 9: write_files[5] must be a mapping with an absolute path",
				"Invalid value: line 10: write_files[6] must be a mapping with an absolute path",
				"Invalid value: line 11: write_files[7] must be a mapping with an absolute path",
				"Invalid value: line 12: write_files[8] must be a mapping with an absolute path",
			},
		},
		"FileValues": {
			reason: "Types that cloud-init would trip over, or take for another mode.",
			text: "write_files:\n- {path: /a, permissions: 0644}\n- {path: /b, permissions: rw}\n- {path: /c, content: 1}\n- {path: /d, content: [x]}\n- {path: /e, owner: 0}\n" +
				"- {path: /f, owner: ops}\n- {path: /g, owner: 'ann:ann', defer: false}\nusers: [{name: ann}]\n",
			want: []string{
				"Invalid value: line 3: write_files[0].permissions must be an octal mode in quotes, '0644'",
				"Invalid value: line 4: write_files[1].permissions must be an octal mode in quotes, '0644'",
				"Invalid value: line 5: write_files[2].content must be text; put a single number or word in quotes",
				"Invalid value: line 6: write_files[3].content must be text; put a single number or word in quotes",
				"Invalid value: line 7: write_files[4].owner must be user:group",
				"Invalid value: line 8: write_files: cloud-init creates the owner after it writes files; add 'defer: true'",
				"Invalid value: line 9: write_files: cloud-init creates the owner after it writes files; add 'defer: true'",
			},
		},
		"Keys": {
			reason: "A key is one line.",
			text:   "ssh_authorized_keys:\n- 1\n- ''\n- |\n  ssh-ed25519 A\n  ssh-ed25519 B\n",
			want: []string{
				"Invalid value: line 3: ssh_authorized_keys[0] must be one public key on one line",
				"Invalid value: line 4: ssh_authorized_keys[1] must be one public key on one line",
				"Invalid value: line 5: ssh_authorized_keys[2] must be one public key on one line",
			},
		},
		"Commands": {
			reason: "A wrong entry makes cloud-init drop the whole list, ours with it.",
			text:   "runcmd:\n- 1\n- {a: b}\n- []\n- [a, [b]]\n- [a, ~]\n- \"a\\0b\"\n- [\"a\\0b\"]\nbootcmd:\n- true\n",
			want: []string{
				"Invalid value: line 3: runcmd[0] must be a shell command as a string, or a list of a command and its arguments",
				"Invalid value: line 4: runcmd[1] must be a shell command as a string, or a list of a command and its arguments",
				"Invalid value: line 5: runcmd[2] must be a shell command as a string, or a list of a command and its arguments",
				"Invalid value: line 6: runcmd[3] must be a shell command as a string, or a list of a command and its arguments",
				"Invalid value: line 7: runcmd[4] must be a shell command as a string, or a list of a command and its arguments",
				"Invalid value: line 8: runcmd[5] must be a shell command as a string, or a list of a command and its arguments",
				"Invalid value: line 9: runcmd[6] must be a shell command as a string, or a list of a command and its arguments",
				"Invalid value: line 11: bootcmd[0] must be a shell command as a string, or a list of a command and its arguments",
			},
		},
		"LongCommands": {
			reason: "The kernel takes no argument that long.",
			text:   "runcmd:\n- |\n  " + strings.Repeat("x", maxScriptBytes) + "\n",
			want:   []string{"Invalid value: line 2: runcmd is longer than 102400 bytes; put the script into write_files and run it from there"},
		},
		"AllAtOnce": {
			reason: "One round is enough to see every fault.",
			text:   "hostname: x\nusers: [ops]\nruncmd: [1]\n",
			want: []string{
				"Forbidden: line 2: hostname cannot be set here: " + name,
				"Forbidden: line 3: users[0] has the name of a user that this machine already creates; see spec.bootstrap.adminUser",
				"Invalid value: line 4: runcmd[0] must be a shell command as a string, or a list of a command and its arguments",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := rules()
			if tc.rules != nil {
				tc.rules(&r)
			}

			d := node()
			before := d.Fingerprint()

			if diff := cmp.Diff(tc.want, add(t, &d, r, tc.text)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if d.Fingerprint() != before {
				t.Errorf("%s\nthe document was changed all the same", tc.reason)
			}
		})
	}
}
