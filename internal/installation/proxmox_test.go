package installation

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/access"
)

// answers of a Proxmox that has what the catalogue says, and a token with all privileges.
func answers(t *testing.T, w *world) map[string]Answer {
	t.Helper()

	needs, err := access.Sites(w.entries(), nil)
	if err != nil {
		t.Fatal(err)
	}

	has := map[string]map[string]int{}

	for _, g := range needs[0].Grants(newestProxmox) {
		if has[g.Path] == nil {
			has[g.Path] = map[string]int{}
		}

		for _, p := range g.Privileges {
			has[g.Path][p] = 1
		}
	}

	out := map[string]Answer{
		"/version":            data(map[string]any{"version": "9.0.11"}),
		"/access/permissions": data(has),
		"/nodes":              data([]any{map[string]any{"node": "pve", "status": "online"}}),
		"/storage/local":      data(map[string]any{"path": "/var/lib/vz"}),
		"/nodes/pve/network": data([]any{
			map[string]any{"iface": "eno1"}, map[string]any{"iface": "vmbr1", "address": "10.0.0.2"}, map[string]any{"iface": "vmbr0", "address": "192.168.4.2", "gateway": "192.168.4.1"},
		}),
		"/nodes/pve/storage": data([]any{
			map[string]any{"storage": "local", "content": "iso,import,snippets", "enabled": 1, "active": 1}, map[string]any{"storage": "local-lvm", "content": "images,rootdir"},
		}),
	}

	return out
}

// ranged has the catalogue keep VMIDs.
func ranged(w *world) {
	w.set("EnvironmentConfig", map[string]any{"from": int64(4000), "to": int64(4999)}, "data", "sites", "home", "vmIds")
}

func data(v any) Answer {
	b, _ := json.Marshal(map[string]any{"data": v}) //nolint:errchkjson // Maps of texts.

	return Answer{Status: 200, Body: b}
}

func TestProxmox(t *testing.T) {
	const (
		named      = "ClusterProviderConfig default: "
		node       = "site home: node pve"
		unreached  = named + "this computer does not reach the endpoint; the provider, in the cluster, may"
		privileges = "kubectl machine privileges --proxmox 9 --site home -f CLAIMS prints commands: run them as root on one node"
	)

	cases := map[string]struct {
		reason  string
		change  func(w *world)
		answers map[string]Answer
		want    []Finding // But for those that are OK.
		has     []string  // Pairs of what is replaced in the privileges.
		ssh     SSHAnswer
	}{
		"Right": {reason: "nothing is wrong"},
		"SSHKey": {
			reason: "a public key, or one with a passphrase", ssh: SSHAnswer{Failure: SSHKey},
			want: []Finding{{
				checkProxmox, Fault, named + "ssh_private_key of the Secret is no private key, or has a passphrase",
				"ssh-keygen -t ed25519 -N '' -f crossplane makes one: docs/start.md, step 3, makes the user",
			}},
		},
		"SSHDenied": {
			reason: "another user, or another key", ssh: SSHAnswer{Failure: SSHDenied},
			want: []Finding{{
				checkProxmox, Fault, node + " does not take ssh_username and ssh_private_key of the Secret",
				"docs/start.md, step 3, makes the user; its authorized_keys has the public key, and belongs to it",
			}},
		},
		"SSHRefused": {
			reason: "no SSH server", ssh: SSHAnswer{Failure: SSHRefused},
			want: []Finding{{checkProxmox, Fault, node + ": nothing listens on port 22 of its address, 192.168.4.2", "systemctl status ssh on the node says whether it runs"}},
		},
		"SSHUnreachable": {
			reason: "a firewall, or another network", ssh: SSHAnswer{Failure: SSHUnreachable},
			want: []Finding{{
				checkProxmox, Unknown, node + ": this computer does not reach port 22 of its address, 192.168.4.2; the provider, in the cluster, may",
				"check again from a computer in the network of the cluster",
			}},
		},
		"SSHFolder": {
			reason: "the folder is root's", ssh: SSHAnswer{Status: 1},
			want: []Finding{{
				checkProxmox, Fault, node + ": the user of the Secret's ssh_username may not write into /var/lib/vz/snippets, or there is no such folder",
				"install -d -o USER -g USER /var/lib/vz/snippets, as root on the node",
			}},
		},
		"SSHNoFolder": {
			reason: "a datastore of volumes", answers: map[string]Answer{"/storage/local": data(map[string]any{"pool": "rpool"})},
			want: []Finding{{
				checkProxmox, Fault, node + ": datastore local has no folder, so that there can be no snippets", "name a datastore with files for snippets in the catalogue, such as local",
			}},
		},
		"SSHNoAddress": {
			reason: "the provider does not find it, either", answers: map[string]Answer{"/nodes/pve/network": data([]any{map[string]any{"iface": "vmbr0", "address": "192.168.4.2"}})},
			want: []Finding{{
				checkProxmox, Fault, node + ": none of its interfaces has an address and a gateway in Proxmox, so that the provider does not find it over SSH",
				"set address and gateway of the node's bridge in Proxmox (System, Network): /etc/network/interfaces has them then",
			}},
		},
		"SSHNoKey": {
			reason: "the provider has a password", change: func(w *world) {
				w.credentials = strings.Replace(rightCredentials, "ssh_private_key", "ssh_password", 1)
			},
			want: []Finding{{
				checkProxmox, Unknown, named + "SSH, over which snippets are written, is not tried: the Secret has no ssh_username and ssh_private_key",
				"docs/start.md, step 3, makes the user; a password or an agent, which the provider takes, too, is not tried",
			}},
		},
		"Token": {
			reason: "a token that is none", answers: map[string]Answer{"/version": {Status: 401, Body: []byte("hunter2")}},
			want: []Finding{{
				checkProxmox, Fault, named + "Proxmox does not take the token (401): there is none of this name, it has expired, its user is disabled, or its secret is another",
				"pveum user token list USER@REALM on a node lists the tokens; `pveum user token add` prints the secret of a new one, once: docs/start.md, step 7, puts it into the Secret",
			}},
		},
		"Certificate": {
			reason: "the provider would not connect, either", answers: map[string]Answer{"/version": {Failure: FailureCertificate}},
			want: []Finding{{
				checkProxmox, Fault, named + "the certificate of Proxmox is none that this computer trusts",
				"set insecure to \"true\" in the Secret, or have Proxmox use a certificate that the provider's image trusts",
			}},
		},
		"Refused": {
			reason: "another port", answers: map[string]Answer{"/version": {Failure: FailureRefused}},
			want: []Finding{{
				checkProxmox, Fault, named + "nothing listens at the endpoint", "set the endpoint to port 8006 of a node; systemctl status pveproxy there says whether it runs",
			}},
		},
		"Name": {
			reason: "names of the cluster", answers: map[string]Answer{"/version": {Failure: FailureName}},
			want: []Finding{{
				checkProxmox, Unknown, named + "this computer does not know the name of the endpoint; the provider, in the cluster, may", "check again from a computer with the name servers of the cluster",
			}},
		},
		"Timeout": {
			reason: "another network", answers: map[string]Answer{"/version": {Failure: FailureTimeout}},
			want: []Finding{{checkProxmox, Unknown, unreached, "check again from a computer in the network of the cluster"}},
		},
		"NotProxmox": {
			reason: "a web server of somebody else", answers: map[string]Answer{"/version": {Status: 200, Body: []byte("<html>hunter2")}},
			want: []Finding{{
				checkProxmox, Unknown, named + "what answers /version is not the API of Proxmox VE", "the endpoint is that of the API, such as https://192.168.4.2:8006",
			}},
		},
		"Old": {
			reason: "a release that nobody tried", answers: map[string]Answer{"/version": data(map[string]any{"version": "7.4-3"})},
			// Its privileges are compared with those of the oldest release that is known.
			want: []Finding{
				{checkProxmox, Warning, named + "Proxmox VE 7.4-3 takes the token: 8 or later is what was tried", "upgrade Proxmox VE"},
				{checkProxmox, Fault, "site home: the token lacks VM.Monitor on /vms, for every machine", strings.Replace(privileges, "9", "8", 1)},
			},
		},
		"Privileges": {
			reason: "a role that lacks one", has: []string{`"Datastore.AllocateSpace":1,`, ""},
			want: []Finding{{checkProxmox, Fault, "site home: the token lacks Datastore.AllocateSpace on /storage/local-lvm, for disks", privileges}},
		},
		"PrivilegesUnread": {
			reason: "what nobody could read is not judged", answers: map[string]Answer{"/access/permissions": {Status: 403}},
			want: []Finding{{
				checkProxmox, Unknown, named + "the token may not ask for /access/permissions (403)", "kubectl machine privileges prints the commands that give it its privileges",
			}},
		},
		"NoNode": {
			reason: "a node that is mistyped", answers: map[string]Answer{"/nodes": data([]any{map[string]any{"node": "pve1", "status": "online"}})},
			want: []Finding{{checkProxmox, Fault, node + " is none of this Proxmox: did you mean pve1?", "edit sites.home.nodes of the catalogue where you keep it"}},
		},
		"Offline": {
			reason: "its datastores cannot be asked for", answers: map[string]Answer{"/nodes": data([]any{map[string]any{"node": "pve", "status": "offline"}})},
			want: []Finding{{checkProxmox, Warning, node + " is offline", "pvecm status on another node says what the Proxmox cluster sees"}},
		},
		"NodesUnread": {
			reason: "an error of Proxmox", answers: map[string]Answer{"/nodes": {Status: 500}},
			want: []Finding{{checkProxmox, Unknown, named + "Proxmox answers /nodes with HTTP status 500", "pvesh get /nodes on a node says why"}},
		},
		"Datastores": {
			reason: "one that is not there, one without a content type", answers: map[string]Answer{"/nodes/pve/storage": data([]any{map[string]any{"storage": "local", "content": "iso,vztmpl"}})},
			want: []Finding{
				{checkProxmox, Fault, node + ": datastore local lacks the content types import, snippets", "pvesm set local --content import,iso,snippets,vztmpl, as root on a node"},
				{
					checkProxmox, Fault, node + " has no datastore local-lvm, or the token may not see it",
					"pvesm status on the node lists them: name another in the catalogue, or see to its privileges",
				},
			},
		},
		"DatastoresOfKinds": {
			reason: "neither ZFS nor a server of backups can hold what the catalogue wants of them", answers: map[string]Answer{"/nodes/pve/storage": data([]any{
				map[string]any{"storage": "local", "content": "images", "type": "zfspool"}, map[string]any{"storage": "local-lvm", "content": "backup", "type": "pbs"},
			})},
			want: []Finding{
				{
					checkProxmox, Fault, node + ": datastore local lacks the content types import, snippets",
					"a datastore of type zfspool cannot hold import, snippets: name another in the catalogue",
				},
				{checkProxmox, Fault, node + ": datastore local-lvm lacks the content types images", "a datastore of type pbs cannot hold images: name another in the catalogue"},
			},
		},
		"DatastoresOff": {
			reason: "one that is switched off, and one that cannot be reached", answers: map[string]Answer{"/nodes/pve/storage": data([]any{
				map[string]any{"storage": "local", "content": "import,snippets", "enabled": 0}, map[string]any{"storage": "local-lvm", "content": "images", "active": 0},
			})},
			want: []Finding{
				{checkProxmox, Fault, node + ": datastore local is disabled", "pvesm set local --disable 0, as root on a node"},
				{checkProxmox, Fault, node + ": datastore local-lvm is not active", "pvesm status on the node says why"},
			},
		},
		"NextID": {
			reason: "VMIDs that Proxmox proposes to others", change: ranged, has: []string{`{"data":{`, `{"data":{"/":{"Sys.Audit":1},`},
			answers: map[string]Answer{"/cluster/options": data(map[string]any{"next-id": map[string]any{"lower": "100", "upper": "5000"}})},
			want: []Finding{{
				checkProxmox, Warning, "site home: next-id: Proxmox proposes VMIDs from 100 to 4999 for a VM that a person makes, and 4000-4999 are for machines (vmIds of the catalogue)",
				"pvesh set /cluster/options --next-id lower=5000,upper=1000000",
			}},
		},
		"NextIDBeside": {
			reason: "bounds that leave them out", change: ranged, has: []string{`{"data":{`, `{"data":{"/":{"Sys.Audit":1},`},
			answers: map[string]Answer{"/cluster/options": data(map[string]any{"next-id": "lower=100,upper=4000"})},
		},
		"NextIDUnread": {
			reason: "a token without Sys.Audit is not shown the option", change: ranged,
			want: []Finding{{
				checkProxmox, Unknown, "site home: the token may not read which VMIDs Proxmox proposes for a VM that a person makes, and need not",
				"pvesh get /cluster/options --output-format json on a node, for kubectl machine privileges --check --options",
			}},
		},
		"Firewall": {
			reason: "names of the datacenter's firewall that are not there", change: func(w *world) {
				w.set("EnvironmentConfig", map[string]any{"groups": []any{"web", "dns"}, "ipSets": []any{"lan"}, "aliases": []any{"nas"}}, "data", "sites", "home", "firewall")
			},
			answers: map[string]Answer{
				"/cluster/firewall/groups":  data([]any{map[string]any{"group": "web"}}),
				"/cluster/firewall/ipset":   {Status: 403},
				"/cluster/firewall/aliases": data([]any{}),
			},
			want: []Finding{
				{
					checkProxmox, Fault, "site home: the datacenter's firewall has no security group dns, which firewall.groups of the catalogue lists",
					"pvesh create /cluster/firewall/groups --group dns on a node makes it: docs/outside.md has what goes into it",
				},
				{
					checkProxmox, Unknown, "site home: the token may not read sites.home.firewall.ipSets of the datacenter's firewall, and need not",
					"pvesh get /cluster/firewall/ipset on a node lists what there is",
				},
				{
					checkProxmox, Fault, "site home: the datacenter's firewall has no alias nas, which firewall.aliases of the catalogue lists",
					"pvesh create /cluster/firewall/aliases --name nas --cidr ADDRESS on a node makes it: docs/outside.md has what goes into it",
				},
			},
		},
		"FirewallUnread": {
			reason: "an error of Proxmox says nothing of the names", change: func(w *world) {
				w.set("EnvironmentConfig", map[string]any{"groups": []any{"web"}}, "data", "sites", "home", "firewall")
			},
			answers: map[string]Answer{"/cluster/firewall/groups": {Status: 500}},
			want: []Finding{{
				checkProxmox, Unknown, named + "Proxmox answers /cluster/firewall/groups with HTTP status 500", "pvesh get /cluster/firewall/groups on a node says why",
			}},
		},
		"Password": {
			reason: "a login is a call that writes",
			change: func(w *world) {
				w.credentials = `{"endpoint": "https://hunter2.home.arpa:8006", "username": "hunter2@pve", "password": "hunter2", "ssh_username": "hunter2"}`
			},
			want: []Finding{{checkProxmox, Unknown, "ClusterProviderConfig default logs in with a password, which is not tried", "use an API token: kubectl machine privileges prints the commands"}},
		},
		"NoSite": {
			reason: "nothing says which credentials", change: func(w *world) { w.remove("EnvironmentConfig") },
			want: []Finding{{checkProxmox, Unknown, "no site of a catalogue names credentials to try", "kubectl machine init writes a catalogue: docs/catalogue.md"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := healthy(t)
			there := answers(t, w)
			edits := strings.NewReplacer(tc.has...)

			if tc.change != nil {
				tc.change(w)
			}

			maps.Copy(there, tc.answers)

			w.Proxmox = func(c Connection, path string) Answer {
				if !strings.HasPrefix(c.Endpoint, "https://hunter2") || !c.Insecure || !strings.HasPrefix(c.Token, "hunter2@pve!") {
					t.Errorf("asks with %+v", c)
				}

				a, ok := there[path]
				if !ok {
					t.Errorf("asks for %s", path)
				}

				if path == "/access/permissions" {
					a.Body = []byte(edits.Replace(string(a.Body)))
				}

				return a
			}

			w.SSH = func(l Login, command string) SSHAnswer {
				const may = "test -d '/var/lib/vz/snippets' && test -w '/var/lib/vz/snippets'"
				const key = "-----BEGIN PRIVATE KEY-----\nMHVudGVyMg==\n-----END PRIVATE KEY-----\n"
				if diff := cmp.Diff([]string{"192.168.4.2:22", "hunter2", key, may}, []string{l.Address, l.User, l.Key, command}); diff != "" {
					t.Errorf("logs in: -want, +got:\n%s", diff)
				}

				return tc.ssh
			}

			var got []Finding

			for _, f := range Judge(w.Cluster) {
				if strings.Contains(f.Says+f.Fix, "hunter2") {
					t.Errorf("a finding has a value of a Secret: %+v", f)
				}

				if f.Check == checkProxmox && f.State != OK {
					got = append(got, f)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
