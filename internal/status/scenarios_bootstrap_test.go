package status

import (
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	firstToken  = "K10aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa::server:c0ffeec0ffeec0ffee"
	secondToken = "K10aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa::server:0123c0ffeec0ffee"

	otherToken = "The K3s token differs from the token that the VM was created with. A node needs the token to join, and not afterwards; new VMs get the new token, and join only if it is the " +
		"cluster's, too. That takes `k3s token rotate` on a server, and then the new token in every node's token file (docs/bootstrap.md, \"How to provide the token\"); if it " +
		"is not to change, write the former token back. This node needs nothing else, unless it has not joined yet: then replace its VM."
	otherTrust = "token.trustOnFirstUse differs from what the VM was created with. A node needs the token to join, and not afterwards; new VMs follow it. " +
		"You need not do anything, unless this node has not joined yet: then replace its VM."
	otherVersion = "The VM was created with K3s v1.33.6+k3s1, and new VMs get v1.34.1+k3s1. The node keeps the release that it runs until it is upgraded in " +
		"the cluster: by hand, by the system-upgrade-controller, or with spec.upgrade of a K3sCluster."
	otherDisks = "The claim describes other file systems or mount paths of data disks than the VM was created with. The guest stays as it is; do not replace the VM for this, " +
		"because a new one has empty disks. To use disk data, run as root in the guest, with the device that lsblk -o PATH,SERIAL shows for data: " +
		"test -n \"$(wipefs DEVICE)\" || mkfs.xfs DEVICE, which formats an empty disk only; then: mkdir -p /srv/data && echo \"UUID=$(blkid -s UUID -o value DEVICE) /srv/data xfs nofail,x-systemd.growfs 0 0\" >>/etc/fstab && mount /srv/data."
	otherFields = "The claim, or its catalogue, describes other bootstrap data than the VM was created with: spec.k3s.config.kubelet-arg, spec.k3s.version: v1.33.6+k3s1 to v1.34.1+k3s1. " +
		"The VM keeps running with its old data. To use the new data, set spec.lifecycle.replace to a new value: a new VM replaces this VM, which then is destroyed " +
		"with all its disks, data disks included (change or remove a fixed spec.proxmox.vmId in the same commit). Or apply a new claim under another name, move your data, and delete this claim."
)

// Beginnings of what is said of other bootstrap data.
const (
	otherData = "The claim, or its catalogue, describes other bootstrap data than the VM was created with: "
	keepsData = ". The VM keeps running with its old data."
)

// settledBy is what the table of K3s' keys says.
func settledBy(key string) string {
	advice, _ := k3s.SettledBy(key)

	return advice
}

// k3sAgent is dns01 as a K3s agent.
func k3sAgent(m *machine.Machine) {
	m.Boot.OS, m.Boot.CloudInit = machine.OSDebian, true
	m.K3s = &machine.K3s{
		Role: v1alpha1.K3sAgent, ServerURL: "https://k3s.home.arpa:6443", Version: "v1.33.6+k3s1", TokenSecret: &v1alpha1.SecretKeyRef{Name: "join", Key: "token"},
	}
}

// withBootstrap is the bootstrap data of a machine. It is part of scenarios that are made outside of a test.
func withBootstrap(m *machine.Machine, token string) (*bootstrap.Bootstrap, string) {
	b, errs := bootstrap.New(m, &token)
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}

	data, err := b.UserData()
	if err != nil {
		panic(err)
	}

	return b, string(data)
}

// joined is a K3s agent that runs, whose claim was edited and whose token is another since.
func joined(t *testing.T, token string, change func(m *machine.Machine)) Input {
	t.Helper()

	in := running(t)
	k3sAgent(in.Machine)

	b, data := withBootstrap(in.Machine, firstToken)
	in.Bootstrap = b

	f := in.State.Files[userData]
	f.Spec.ForProvider = proxmox.FileParameters{
		NodeName: "pve", DatastoreID: "local", SourceRaw: []proxmox.SourceRaw{{FileName: "dns01-0123456789.user-data.yaml", Data: proxmox.NewLiteral(data)}},
	}
	in.State.Files[userData] = f

	in = edit(in, func(vm *proxmox.ObservedVM) {
		vm.Metadata.Annotations[proxmox.BootstrapHashAnnotation] = b.Hash
		vm.Spec.ForProvider.Initialization = []proxmox.Initialization{{UserDataFileID: f.Spec.ForProvider.VolumeID()}}
	})
	in.Previous = after(Machine(in))

	if change != nil {
		change(in.Machine)
	}

	in.Bootstrap, _ = withBootstrap(in.Machine, token)

	return in
}

func newRelease(m *machine.Machine) { m.K3s.Version = "v1.34.1+k3s1" }

func dataDisk(m *machine.Machine) {
	m.Disks = []machine.Disk{{Name: "data", SizeGiB: 10, Filesystem: "xfs", MountPath: "/srv/data"}}
}

const noRegistryKey = "Secret registry in the claim's namespace has no key `registries.yaml` with the content of /etc/rancher/k3s/registries.yaml. Its keys are `config`, `user`: " +
	"add the key, or name the right one in spec.bootstrap.secrets[0].secretRef.key."

// tokenLack is what a K3s node lacks whose Secret with the token is missing.
func tokenLack() *bootstrap.Lack {
	return &bootstrap.Lack{Secret: "k3s-join-token", For: "the K3s token", Token: true}
}

// registryLack is what a machine lacks whose first boot writes a file from a Secret.
func registryLack(keys []string, unfit string) *bootstrap.Lack {
	return &bootstrap.Lack{
		Secret: "registry", Key: "registries.yaml", For: "the content of /etc/rancher/k3s/registries.yaml", Field: "spec.bootstrap.secrets[0].secretRef.key",
		Keys: keys, Unfit: unfit,
	}
}

// TestLackingSecrets holds what is said of a Secret in each way that it may be of no use.
func TestLackingSecrets(t *testing.T) {
	for want, lack := range map[string]*bootstrap.Lack{
		"The provider creates the VM when the content of /etc/rancher/k3s/registries.yaml exists: Secret registry in the claim's namespace, with the key `registries.yaml`.":                     registryLack(nil, ""),
		noRegistryKey + " The provider creates the VM when this is corrected.":                                                                                                                   registryLack([]string{"config", "user"}, ""),
		"Key `registries.yaml` of Secret registry in the claim's namespace, with the content of /etc/rancher/k3s/registries.yaml, is empty. The provider creates the VM when this is corrected.": registryLack([]string{"registries.yaml"}, "is empty"),
	} {
		in := dns01()
		in.Desired = proxmox.Desired{}
		in.Bootstrap.Hash, in.Bootstrap.Lack = "", lack

		for _, c := range Machine(in).Conditions {
			if c.Type == TypeMachineReady && (c.Reason != ReasonWaitingForSecret || c.Message != want) {
				t.Errorf("got %s: %s\nwant %s", c.Reason, c.Message, want)
			}
		}
	}
}

var otherSecret = Condition{
	"BootstrapCurrent", "True", "SecretChanged", "Secrets have other values than when the VM was created: spec.bootstrap.secrets[/etc/rancher/k3s/registries.yaml]. " +
		"The guest keeps the files of its first boot, and new VMs get the new values. If the guest needs them, write the files there; you need not replace the VM.",
}

func registryFile() []machine.SecretFile {
	return []machine.SecretFile{{Secret: "registry", Key: "registries.yaml", Path: "/etc/rancher/k3s/registries.yaml", Mode: "0600"}}
}

// secretChanged is a running VM whose first boot wrote a file from a Secret that has another value since.
func secretChanged(t *testing.T) Input {
	t.Helper()

	in := joined(t, firstToken, nil)
	in.Machine.Secrets = registryFile()

	made := func(value string) *bootstrap.Bootstrap {
		token := firstToken

		b, errs := bootstrap.New(in.Machine, &token, bootstrap.Content{Value: &value})
		if len(errs) > 0 {
			t.Fatal(errs)
		}

		return b
	}

	before := made("first-value")

	data, err := before.UserData()
	if err != nil {
		t.Fatal(err)
	}

	f := in.State.Files[userData]
	f.Spec.ForProvider.SourceRaw[0].Data = proxmox.NewLiteral(string(data))
	in.State.Files[userData] = f

	in = edit(in, func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.BootstrapHashAnnotation] = before.Hash })
	in.Bootstrap = before
	in.Previous = after(Machine(in))
	in.Bootstrap = made("second-value")

	return in
}

// TestSecretChanged: a Secret that is rotated asks for no replacement, and neither message nor hash tells anything of the value.
func TestSecretChanged(t *testing.T) {
	in := secretChanged(t)
	out := Machine(in)

	if !slices.Contains(out.Conditions, otherSecret) {
		t.Errorf("conditions: %v", out.Conditions)
	}

	if out.Status.Bootstrap.PendingHash != "" || len(out.Events) > 0 {
		t.Errorf("status %+v, events %v", out.Status.Bootstrap, out.Events)
	}

	in.Machine.K3s.Version = "v1.34.1+k3s1"
	token, value := secondToken, "second-value"
	in.Bootstrap, _ = bootstrap.New(in.Machine, &token, bootstrap.Content{Value: &value})

	for _, c := range Machine(in).Conditions {
		if c.Type == TypeBootstrapCurrent && (c.Status != "True" || c.Reason != ReasonK3sVersionChanged || !strings.Contains(c.Message, "Secrets have other values")) {
			t.Errorf("with another release and token: %+v", c)
		}
	}
}

// bootstraps are the moments of a K3s node whose claim, catalogue or token is edited.
func bootstraps() map[string]scenario {
	all := map[string]struct {
		reason string
		token  string
		change func(m *machine.Machine)
		want   Condition
	}{
		"TokenChanged": {
			reason: "A node that has joined needs no token, so a token that is rotated asks for nothing.", token: secondToken,
			want: Condition{"BootstrapCurrent", "True", "TokenChanged", otherToken},
		},
		"TrustChanged": {
			reason: "Nor does a node that has joined ask which tokens it might have joined with.", token: firstToken,
			change: func(m *machine.Machine) { m.K3s.TrustOnFirstUse = true },
			want:   Condition{"BootstrapCurrent", "True", "TokenChanged", otherTrust},
		},
		"TokenAndTrustChanged": {
			reason: "The token is what a person looks for.", token: secondToken,
			change: func(m *machine.Machine) { m.K3s.TrustOnFirstUse = true },
			want:   Condition{"BootstrapCurrent", "True", "TokenChanged", otherToken},
		},
		"K3sVersionChanged": {
			reason: "A cluster upgrades its nodes, so a new release in the catalogue asks for nothing.", token: firstToken, change: newRelease,
			want: Condition{"BootstrapCurrent", "True", "K3sVersionChanged", otherVersion},
		},
		"TokenAndVersionChanged": {
			reason: "Both ask for nothing, and both are said.", token: secondToken, change: newRelease,
			want: Condition{"BootstrapCurrent", "True", "K3sVersionChanged", otherVersion + " " + otherToken},
		},
		"DataDisksChanged": {
			reason: "A new VM has empty disks, so a person sets the disk up in the guest.", token: firstToken, change: dataDisk,
			want: Condition{"BootstrapCurrent", "True", "DataDisksChanged", otherDisks},
		},
		"DataDisksTokenAndVersionChanged": {
			reason: "All are said.", token: secondToken, change: func(m *machine.Machine) { newRelease(m); dataDisk(m) },
			want: Condition{"BootstrapCurrent", "True", "DataDisksChanged", otherDisks + " " + otherVersion + " " + otherToken},
		},
		"FieldsChanged": {
			reason: "What only a new VM gets is named, with all else that differs.", token: firstToken,
			change: func(m *machine.Machine) {
				newRelease(m)

				m.K3s.Config = map[string]any{"kubelet-arg": []any{"max-pods=50"}}
			},
			want: Condition{"BootstrapCurrent", "False", "BootstrapChanged", otherFields},
		},
		"ClusterChanged": {
			reason: "A new VM is not the way to it.", token: firstToken,
			change: func(m *machine.Machine) {
				m.K3s.Labels, m.K3s.Taints = map[string]string{"a": "b"}, []string{"a=b:NoSchedule"}
			},
			want: Condition{"BootstrapCurrent", "False", "BootstrapChanged", otherData + "spec.k3s.labels, spec.k3s.taints" + keepsData +
				" For spec.k3s.labels, do not replace the VM: " + settledBy("node-label") + ". For spec.k3s.taints, do not replace the VM: " + settledBy("node-taint") + ". This condition ends when the VM is replaced for another reason, " +
				"or when the edit is taken back: the function does not see what is done in the cluster."},
		},
		"ClusterAndFieldsChanged": {
			reason: "What comes first is said first.", token: firstToken,
			change: func(m *machine.Machine) {
				m.K3s.Labels, m.K3s.Config = map[string]string{"a": "b"}, map[string]any{"kubelet-arg": []any{"max-pods=50"}}
			},
			want: Condition{"BootstrapCurrent", "False", "BootstrapChanged", otherData + "spec.k3s.config.kubelet-arg, spec.k3s.labels" + keepsData +
				" For spec.k3s.labels, do not replace the VM: " + settledBy("node-label") + ". Once that is done, to use the rest, set spec.lifecycle.replace to a new value: a new VM " +
				"replaces this VM, which then is destroyed with all its disks, data disks included (change or remove a fixed spec.proxmox.vmId in the same commit). Or apply a new " +
				"claim under another name, move your data, and delete this claim."},
		},
	}
	out := map[string]scenario{}

	for name, tc := range all {
		m := dns01().Machine
		k3sAgent(m)

		was, _ := withBootstrap(m, firstToken)

		if tc.change != nil {
			tc.change(m)
		}

		is, _ := withBootstrap(m, tc.token)

		want := Output{
			Status: made(func(s *v1alpha1.Status) {
				s.K3sVersion, s.Bootstrap = "v1.33.6+k3s1", &v1alpha1.BootstrapStatus{Hash: was.Hash, PendingHash: is.Hash}
			}),
			Ready: readiness(true, true, true), Conditions: conditions(tc.want),
		}

		if tc.want.Status == "False" {
			want.Events = []Event{{Warning: true, Reason: tc.want.Reason, Message: tc.want.Message}}
		}

		out[name] = scenario{
			reason: tc.reason, want: want, in: func(t *testing.T) Input { t.Helper(); return joined(t, tc.token, tc.change) },
		}
	}

	m := dns01().Machine
	k3sAgent(m)
	m.Secrets = registryFile()

	token, value := firstToken, "first-value"
	b, _ := bootstrap.New(m, &token, bootstrap.Content{Value: &value})

	out["SecretChanged"] = scenario{
		reason: "A Secret that is rotated asks for no replacement.", in: secretChanged,
		want: Output{
			Status: made(func(s *v1alpha1.Status) {
				s.K3sVersion, s.Bootstrap = "v1.33.6+k3s1", &v1alpha1.BootstrapStatus{Hash: b.Hash}
			}),
			Ready: readiness(true, true, true), Conditions: conditions(otherSecret),
		},
	}

	return out
}

// TestK3sVersion is what the VM was made with, or nothing.
func TestK3sVersion(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     func(t *testing.T) Input
		want   string
	}{
		"New": {"What a new VM gets.", func(t *testing.T) Input {
			t.Helper()
			return changed(joined(t, firstToken, nil), func(in *Input) { in.State = proxmox.State{} })
		}, "v1.33.6+k3s1"},
		"Current": {"What the VM has.", func(t *testing.T) Input { t.Helper(); return joined(t, firstToken, nil) }, "v1.33.6+k3s1"},
		"ReadFromTheVM": {
			"Its user-data says it, where the status of before is lost.",
			func(t *testing.T) Input {
				t.Helper()
				return changed(joined(t, firstToken, newRelease), func(in *Input) { in.Previous = v1alpha1.Status{} })
			}, "v1.33.6+k3s1",
		},
		"Remembered": {
			"The status of before says it, where the snippet is lost.",
			func(t *testing.T) Input {
				t.Helper()
				return changed(joined(t, firstToken, newRelease), func(in *Input) { in.State.Files = nil })
			}, "v1.33.6+k3s1",
		},
		"Snippet": {
			"A person's own snippet installs what it installs.",
			func(t *testing.T) Input {
				t.Helper()

				return changed(joined(t, firstToken, nil), func(in *Input) {
					in.Machine.Snippets.UserData = "local:snippets/own.yaml"
					b, errs := bootstrap.New(in.Machine, nil)
					if len(errs) > 0 {
						t.Fatal(errs)
					}

					in.Bootstrap = b
					*in = edit(*in, func(vm *proxmox.ObservedVM) {
						vm.Metadata.Annotations[proxmox.BootstrapHashAnnotation] = b.Hash
						vm.Spec.ForProvider.Initialization[0].UserDataFileID = "local:snippets/own.yaml"
					})
				})
			}, "",
		},
		"SnippetAndEdited": {
			"Also where the claim names another one now, and an earlier release said what the claim says.",
			func(t *testing.T) Input {
				t.Helper()

				return changed(joined(t, firstToken, newRelease), func(in *Input) {
					*in = edit(*in, func(vm *proxmox.ObservedVM) {
						vm.Spec.ForProvider.Initialization[0].UserDataFileID = "local:snippets/own.yaml"
					})
				})
			}, "",
		},
		"Adopted": {
			"Nobody knows what is in a VM that somebody else made.",
			func(t *testing.T) Input {
				t.Helper()
				return changed(joined(t, firstToken, nil), func(in *Input) { in.Plan.Adopted = true })
			}, "",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Machine(tc.in(t)).Status.K3sVersion; got != tc.want {
				t.Errorf("%s\nk3sVersion: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// changed is an input with a change.
func changed(in Input, change func(in *Input)) Input {
	change(&in)

	return in
}

// TestOfToken: what a condition says of a token is found beside a release.
func TestOfToken(t *testing.T) {
	for message, want := range map[string]string{otherVersion: "", otherToken: otherToken, otherVersion + " " + otherToken: otherToken} {
		if got := OfToken(message); got != want {
			t.Errorf("OfToken(%q): want %q, got %q", message, want, got)
		}
	}
}
