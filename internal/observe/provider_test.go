package observe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// Conditions as the provider's reconciler and its asynchronous operations write them.
const (
	observeFailed = "ReconcileError: observe failed: cannot run refresh: refresh failed: "
	createFailed  = "ReconcileError: create failed: apply failed: "
	updateFailed  = "ReconcileError: update failed: apply failed: "
	deleteFailed  = "ReconcileError: delete failed: destroy failed: "
	forceNew      = "ReconcileError: observe failed: cannot run plan: plan failed: Instance cannot be destroyed: Resource proxmox_virtual_environment_vm.dns01-x7k2p has " +
		"lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid this error and continue with the plan, either disable " +
		"lifecycle.prevent_destroy or reduce the scope of the plan using the -target flag."
)

// A report is what the provider says of a managed resource, and the row of the table that it must be told apart by.
type report struct {
	synced, last string // Conditions Synced, as "Reason: message", and LastAsyncOperation; empty where they are not False.
	row          string
}

// reports hold the texts of provider-proxmox-bpg v1.18.0 with bpg/proxmox 0.111.1, as they were observed; those from
// reports of other users, for what the observation could not provoke, are marked.
var reports = map[string]report{
	"Paused": {synced: "ReconcilePaused: ", row: "paused"},
	"ProviderConfigMissing": {
		synced: `ReconcileError: connect failed: cannot get terraform setup: cannot resolve provider config: cannot get referenced ProviderConfig: ` +
			`ClusterProviderConfig.proxmoxbpg.m.crossplane.io "missing" not found`, row: "config.providerconfig",
	},
	"CredentialsMissing": {
		synced: `ReconcileError: connect failed: cannot get terraform setup: cannot extract credentials: cannot get credentials secret: Secret "x" not found`, row: "config.secret",
	},
	"CredentialsNoStrings": {
		synced: `ReconcileError: connect failed: cannot get terraform setup: cannot unmarshal proxmox credentials as JSON: json: cannot unmarshal bool into Go value of type string`,
		row:    "config.secret",
	},
	"SetupOther": {synced: `ReconcileError: connect failed: cannot get terraform setup: cannot track ProviderConfig usage: forbidden`, row: "config.setup"},
	"ResourceName": {
		synced: "ReconcileError: connect failed: cannot get a terraform workspace for resource: cannot init workspace: There are some problems with the configuration, described below.\n\n" +
			"Error: Invalid resource name\n\n  on main.tf.json line 1, in resource.proxmox_virtual_environment_vm:\n" +
			`   1: {"provider":{"proxmox":{"api_token":"REDACTED","ssh":{"private_key":"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n"}}},"note":"received an HTTP 401 response"}`,
		row: "render.name",
	},
	"Workspace": {
		synced: "ReconcileError: connect failed: cannot get a terraform workspace for resource: cannot write main tf file: write /tmp/x/main.tf.json: no space left on device",
		row:    "provider.workspace",
	},
	"TemplateReference": {
		synced: observeFailed + "Invalid reference: A reference to a resource type must be followed by at least one attribute access, specifying the resource name.", row: "render.template",
	},
	"TemplateKeyword": {
		synced: observeFailed + `Invalid template control keyword: "http_code" is not a valid template control keyword.`, row: "render.template",
	},
	"InvalidBios":      {synced: observeFailed + `expected bios to be one of ["ovmf" "seabios"], got uefi: `, row: "render.invalid"},
	"InvalidVMID":      {synced: observeFailed + `expected vm_id to be in the range (100 - 2147483647), got 50: `, row: "render.invalid"},
	"InvalidName":      {synced: observeFailed + `invalid value for name (must be a valid DNS name): `, row: "render.invalid"},
	"InvalidInterface": {synced: createFailed + `Defined disk interface not supported. Interface was nvme0, but only [ide sata scsi virtio] are supported: `, row: "render.invalid"},
	"InvalidParameter": {
		synced: createFailed + `error creating VM: received an HTTP 400 response - Reason: Parameter verification failed. (cores: value must have a maximum value of 128): `,
		last:   `apply failed: error creating VM: received an HTTP 400 response - Reason: Parameter verification failed. (cores: value must have a maximum value of 128): `,
		row:    "render.invalid",
	},
	"Immutable":         {synced: forceNew, row: "immutable"},
	"TaintedStart":      {synced: forceNew, last: `apply failed: VM start: task "UPID:pve1:0003:0004:qmstart:4501:root@pam:" failed to complete with exit code: volume does not exist: `, row: "tainted.start"},
	"TaintedResize":     {synced: forceNew, last: `apply failed: VM disk resize: task "UPID:pve1:0003:0004:resize:4501:root@pam:" failed to complete with exit code: shrinking disks is not supported: `, row: "tainted.resize"},
	"TaintedCloneSize":  {synced: forceNew, last: `apply failed: disk resize failure: requested size (10G) is lower than current size (20G): `, row: "tainted.resize"},
	"TaintedOther":      {synced: forceNew, last: `apply failed: error updating VM: received an HTTP 500 response - Reason: unknown: `, row: "tainted.other"},
	"AgentTimeout":      {synced: observeFailed, row: "agent.timeout"},
	"AgentTimeoutTrim":  {synced: strings.TrimSpace(observeFailed), row: "agent.timeout"},
	"TokenInvalid":      {synced: observeFailed + `failed to get resources list of type ("vm") for cluster: received an HTTP 401 response - Reason: invalid token value!: `, row: "auth"},
	"PasswordInvalid":   {synced: createFailed + `failed to authenticate: received an HTTP 401 response - Reason: authentication failure: `, row: "auth"},
	"PermissionObserve": {synced: observeFailed + `error retrieving VM 4101: received an HTTP 403 response - Reason: Permission check failed (/vms/4101, VM.Audit): `, row: "permission"},
	"PermissionDownload": { // bpg/terraform-provider-proxmox#1439
		synced: createFailed + "Error initiating file download: Could not get file metadata, unexpected error: error fetching metadata from download url, unexpected error in " +
			"GetQueryURLMetadata: error retrieving URL metadata for 0xc0: received an HTTP 403 response - Reason: Permission check failed (/nodes/pve, Sys.AccessNetwork)",
		row: "permission.download",
	},
	"RootOnly": { // bpg/terraform-provider-proxmox#495
		synced: updateFailed + `error updating VM: received an HTTP 500 response - Reason: only root can set 'hostpci1' config for non-mapped devices: `, row: "permission.root",
	},
	"Refused": {
		synced: observeFailed + `failed to get resources list of type ("vm") for cluster: failed to perform HTTP GET request (path: cluster/resources?type=vm) - ` +
			`Reason: Get "https://127.0.0.1:1/api2/json/cluster/resources?type=vm": dial tcp 127.0.0.1:1: connect: connection refused: `, row: "unreachable",
	},
	"NoSuchHost": {
		synced: createFailed + `failed to perform HTTP POST request - Reason: Post "https://pve.invalid:8006/": dial tcp: lookup pve.invalid on 10.96.0.10:53: no such host: `,
		row:    "unreachable",
	},
	"ConnectionDropped": {synced: observeFailed + `failed to perform HTTP GET request - Reason: Get "https://pve:8006/api2/json/cluster/resources?type=vm": EOF: `, row: "unreachable"},
	"Certificate": {
		synced: observeFailed + `failed to perform HTTP GET request - Reason: Get "https://pve:8006/": tls: failed to verify certificate: x509: certificate signed by unknown authority: `,
		row:    "tls",
	},
	"NodeOffline": {synced: observeFailed + `error retrieving VM 4101: received an HTTP 595 response - Reason: No route to host: `, row: "node.offline"},
	"NodeUnknown": {
		synced: createFailed + `error creating VM: received an HTTP 500 response - Reason: hostname lookup 'pve9' failed - failed to get address info for: pve9: Name or service not known: `,
		row:    "node.unknown",
	},
	"NoQuorum": { // Widely reported.
		synced: createFailed + `error creating VM: received an HTTP 500 response - Reason: unable to create VM 153 - cluster not ready - no quorum?: `, row: "node.quorum",
	},
	"Busy":        {synced: observeFailed + `error retrieving VM 4101: received an HTTP 500 response - Reason: got timeout: `, row: "pve.busy"},
	"Unavailable": {synced: observeFailed + `error retrieving VM 4101: received an HTTP 503 response - Reason: Service Unavailable: `, row: "pve.unavailable"},
	"BadGateway":  {synced: observeFailed + `error retrieving VM 4101: received an HTTP 502 response - Reason: Bad Gateway: `, row: "pve.unavailable"},
	"Unsupported": {synced: createFailed + `error: received an HTTP 501 response - Reason: Method 'POST /nodes/pve/query' not implemented: `, row: "unsupported"},
	"SSHAuth": {
		synced: createFailed + `unable to authenticate user "root" over SSH to "127.0.0.1:22". Please verify that ssh-agent is correctly loaded with an authorized key via 'ssh-add -L': ` +
			`failed SSH handshake to 127.0.0.1:22: ssh: handshake failed: ssh: unable to authenticate, attempted methods [none], no supported methods remain: `, row: "ssh.auth",
	},
	"SSHRefused": {
		synced: createFailed + `failed to open SSH client: unable to authenticate user "root" over SSH to "127.0.0.1:22". Please verify that ssh-agent is correctly loaded: ` +
			`failed to dial 127.0.0.1:22: dial tcp 127.0.0.1:22: connect: connection refused: `, row: "ssh.unreachable",
	},
	"SnippetWrite": {
		synced: createFailed + "error transferring file: Process exited with status 1 (output: #cloud-config\nhostname: dns01\nwrite_files:\n- content: received an HTTP 401 response\n): ",
		row:    "snippet.write",
	},
	"SnippetFull": {
		synced: createFailed + "error transferring file: Process exited with status 1 (output: #cloud-config\nhostname: dns01\ntee: /var/lib/vz/snippets/x: No space left on device): ",
		row:    "snippet.full",
	},
	"StorageMissing": {
		synced: createFailed + "error creating VM: the requested resource does not exist\nreceived an HTTP 500 response - Reason: storage 'nope' does not exist: ", row: "storage.missing",
	},
	"StorageOffline":      {synced: createFailed + `received an HTTP 500 response - Reason: storage 'tank' is not online: `, row: "storage.offline"},
	"StorageImport":       {synced: createFailed + `received an HTTP 500 response - Reason: storage 'iso-only' is not configured for content-type 'import': `, row: "storage.content"},
	"StorageImages":       {synced: createFailed + `received an HTTP 500 response - Reason: unable to create VM 153 - storage 'local' does not support content-type 'images': `, row: "storage.content"},
	"StorageSnippets":     {synced: createFailed + `failed to read file from "iso-only:snippets/x.yaml": `, row: "storage.content"},
	"StoragePath":         {synced: createFailed + `failed to determine the datastore path: `, row: "storage.content"},
	"StorageUpload":       {synced: createFailed + `received an HTTP 500 response - Reason: can't upload to storage type 'lvmthin', not a file based storage!: `, row: "storage.content"},
	"StorageFullZFS":      {synced: createFailed + `received an HTTP 500 response - Reason: unable to create VM 153 - zfs error: cannot create 'rpool/data/vm-153-disk-0': out of space: `, row: "storage.full"},
	"StorageFullLVM":      {synced: createFailed + `received an HTTP 500 response - Reason: lvcreate 'pve/vm-153-disk-0' error: Insufficient free space: 12800 extents needed, but only 10 available: `, row: "storage.full"},
	"StorageLeftover":     {synced: createFailed + `received an HTTP 500 response - Reason: zfs error: cannot create 'zfs-pool/vm-103-disk-0': dataset already exists: `, row: "storage.leftover"}, // Telmate#204
	"StorageLeftoverLVM":  {synced: createFailed + `received an HTTP 500 response - Reason: lvcreate pve/vm-111-disk-0 error: Logical Volume "vm-111-disk-0" already exists: `, row: "storage.leftover"},
	"MemoryFull":          {synced: updateFailed + `VM start: task "UPID:pve:1:2:3:qmstart:153:root@pam:" failed to complete with exit code: start failed: Cannot allocate memory: `, row: "memory.full"},
	"ImageExtension":      {synced: createFailed + `received an HTTP 400 response - Reason: Parameter verification failed. (filename: wrong file extension): `, row: "image.extension"},
	"ImageURL":            {synced: createFailed + "Error initiating file download: Could not get file metadata, unexpected error: error fetching metadata from download url, unexpected error in GetQueryURLMetadata: error retrieving URL metadata: received an HTTP 500 response - Reason: invalid server response: '404 Not Found'", row: "image.url"},
	"ImageUnreachable":    {synced: createFailed + "Could not get file metadata, unexpected error: error fetching metadata from download url: received an HTTP 500 response - Reason: invalid server response: '500 Can't connect to cloud.debian.org:443 (Temporary failure in name resolution)'", row: "image.unreachable"},
	"ImageExists":         {synced: createFailed + "File already exists in the datastore, it was created outside of Terraform or is managed by another resource.", row: "image.exists"},
	"ImageTimeout":        {synced: createFailed + `failed waiting for url download: timeout while waiting for task "UPID:pve:1:2:3:download:x:root@pam:" to complete, and the content type 'import' is not supported by the Proxmox VE version 8.0.0: `, row: "image.timeout"},
	"ImageMissing":        {synced: createFailed + `VM create: task "UPID:pve:1:2:3:qmcreate:4501:root@pam:" failed to complete with exit code: unable to create VM 4501 - cannot import from 'local:import/late.qcow2' - volume does not exist: `, row: "image.missing"},
	"VMIDTaken":           {synced: createFailed + "VM clone: All attempts fail:\n#1: error cloning VM: the requested resource already exists\nreceived an HTTP 500 response - Reason: unable to create VM 9000: config file already exists: ", row: "vmid.taken"},
	"TemplateMissing":     {synced: createFailed + "VM clone: All attempts fail:\n#1: error cloning VM: the requested resource does not exist\nreceived an HTTP 500 response - Reason: Configuration file 'nodes/pve1/qemu-server/9999.conf' does not exist: ", row: "template.missing"},
	"TemplateNode":        {synced: createFailed + "error cloning VM: received an HTTP 500 response - Reason: unable to find configuration file for VM 8000 on node 'pve02': ", row: "template.node"}, // bpg#1387
	"CreateTimeout":       {synced: createFailed + `VM create: timeout while waiting for task "UPID:pve:1:2:3:qmcreate:4501:root@pam:" to complete: `, row: "vm.create.timeout"},
	"StartFailed":         {synced: updateFailed + `VM start: task "UPID:pve:1:2:3:qmstart:153:root@pam:" failed to complete with exit code: start failed: QEMU exited with code 1: `, row: "vm.start"},
	"TaskFailed":          {synced: createFailed + `VM create: task "UPID:pve:1:2:3:qmcreate:153:root@pam:" failed to complete with exit code: job errors: `, row: "task.failed"},
	"DiskShrink":          {synced: updateFailed + `Cannot shrink local-lvm:vm-4206-disk-0 in VM 4206, it is not supported!: `, row: "disk.shrink"},
	"RebootResize":        {synced: updateFailed + `cannot resize disks while the VM has pending changes and automatic power-offs/reboots are disabled by 'reboot_after_update = false': `, row: "reboot.resize"},
	"RebootCloudInit":     {synced: updateFailed + `cannot move the Cloud-Init drive while automatic power-offs/reboots are disabled by 'reboot_after_update = false': `, row: "reboot.needed"},
	"Protected":           {synced: deleteFailed + `received an HTTP 500 response - Reason: can't remove VM 4210 - protection mode enabled: `, row: "protected"},
	"StillRunning":        {synced: `ReconcileError: delete failed: cannot start async destroy: apply operation that started at 2026-11-20 08:00:00 is still running`, row: "busy"},
	"Locked":              {synced: updateFailed + `error updating VM: received an HTTP 500 response - Reason: VM is locked (backup): `, row: "vm.locked"},
	"LockTimeout":         {synced: updateFailed + `error updating VM: received an HTTP 500 response - Reason: can't lock file '/var/lock/qemu-server/lock-101.conf' - got timeout: `, row: "vm.locked"}, // bpg#995
	"ImportIDUnqualified": {synced: observeFailed + `Importing from ID "4700"...: unexpected format of ID (), expected node/id`, row: "import.id"},
	"ImportNothing":       {synced: `ReconcileError: observe failed: external resource does not exist`, row: "import.missing"},
	"Other":               {synced: "ReconcileError: cannot update managed resource status: the object has been modified", row: "other"},
	"OnlyLastAsync":       {last: `apply failed: error creating VM: received an HTTP 403 response - Reason: Permission check failed (/storage/x, Datastore.AllocateSpace): `, row: "permission"},
}

// resource makes the VM report what a report says.
func (r report) vm(in Input) Input {
	return edit(in, func(vm *proxmox.ObservedVM) {
		if r.synced != "" {
			reason, message, _ := strings.Cut(r.synced, ": ")
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: reason, Message: message})
		} else {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Ready", Status: "False", Reason: "Creating"})
		}

		if r.last != "" {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: r.last})
		}
	})
}

func TestDiagnose(t *testing.T) {
	for name, tc := range reports {
		t.Run(name, func(t *testing.T) {
			in := tc.vm(running(t))

			got, wrong := diagnose(in.State.VMs[render.VMName], "")
			if got.name != tc.row {
				t.Errorf("row of %q after %q: want %s, got %s", tc.synced, tc.last, tc.row, got.name)
			}

			if want := got.class != ReasonNoError; wrong != want {
				t.Errorf("wrong: want %t, got %t", want, wrong)
			}
		})
	}
}

// TestRows holds the table to its form, so that a new row cannot be half done.
func TestRows(t *testing.T) {
	tested := map[string]bool{}
	for _, r := range reports {
		tested[r.row] = true
	}

	classes := []string{
		ReasonNoError, ReasonValidationFailed, ReasonConfigurationError, ReasonNetworkError, ReasonAuthenticationError, ReasonQuotaExceeded,
		ReasonNodeUnhealthy, ReasonBusy, ReasonImmutableChange, ReasonTainted, ReasonRebootRequired, ReasonProtected, ReasonPaused, ReasonProviderError,
	}
	seen := map[string]bool{}

	for _, r := range append(slices.Clone(rows), unknown) {
		if seen[r.name] {
			t.Errorf("row %s is there twice", r.name)
		}

		seen[r.name] = true

		if !tested[r.name] {
			t.Errorf("no report ends in row %s: add its text to reports", r.name)
		}

		if !slices.Contains(classes, r.class) {
			t.Errorf("row %s has class %q, which is no reason of %s", r.name, r.class, TypeProviderHealthy)
		}

		for what, text := range map[string]string{"meaning": r.meaning, "remedy": r.remedy} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("row %s: its %s is no sentence: %q", r.name, what, text)
			}
		}
	}
}

// secrets are what the provider has been seen to write into conditions, and more of the kind.
const secrets = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACDqv3Jk1Yw2uX8m5Pq7s9t0ZrLeFhGcVbNmKjHgFdSaQw
-----END OPENSSH PRIVATE KEY-----
#cloud-config
hostname: qwertzuiop
write_files:
- path: /etc/rancher/k3s/token
  content: K10aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899::server:7c8d9e0f
chpasswd: {users: [{name: root, password: hunter2hunter2}]}
api_token: terraform@pve!crossplane=0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0
`

// TestNoProviderText: whatever the provider writes into its messages, what we say is the same as without it.
func TestNoProviderText(t *testing.T) {
	for name, tc := range reports {
		t.Run(name, func(t *testing.T) {
			leaky := tc
			if tc.synced != "" && tc.row != "agent.timeout" { // Which is told by having no text at all.
				leaky.synced += "\n" + secrets
			}

			if tc.last != "" {
				leaky.last += "\n" + secrets
			}

			want, got := text(t, Machine(tc.vm(running(t)))), text(t, Machine(leaky.vm(running(t))))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the provider's text changes ours: -without, +with:\n%s", diff)
			}

			for line := range strings.Lines(secrets) {
				if line = strings.TrimSpace(line); strings.Contains(got, line) {
					t.Errorf("the output holds %q of the provider's text", line)
				}
			}

			for _, said := range []string{tc.synced, tc.last} {
				for _, part := range strings.FieldsFunc(said, func(r rune) bool { return r == ':' || r == '\n' }) {
					if part = strings.TrimSpace(part); len(part) > 30 && strings.Contains(got, part) {
						t.Errorf("the output holds %q of the provider's text", part)
					}
				}
			}
		})
	}
}

// TestNoTextOfFilesAndImages: the same for the other kinds, and before there is a VM, when they are what is waited for.
func TestNoTextOfFilesAndImages(t *testing.T) {
	const broken = `# %s
apiVersion: x.m.crossplane.io/v1alpha1
kind: %s
status:
  conditions:
  - {type: Ready, status: "False", reason: Creating}
  - {type: Synced, status: "False", reason: ReconcileError, message: %q}
  - {type: LastAsyncOperation, status: "False", reason: ApplyFailure, message: %q}
`

	for name, tc := range reports {
		t.Run(name, func(t *testing.T) {
			in := dns01()
			delete(in.Rendered.Manifests, render.VMName)
			in.Rendered.Waiting = []string{image, metaData, userData}

			message := tc.synced + "\n" + secrets
			in.State = observed(t, fmt.Sprintf(broken, userData, proxmox.FileKind, message, message), fmt.Sprintf(broken, image, proxmox.DownloadFileKind, message, message))

			got := text(t, Machine(in))
			for line := range strings.Lines(secrets) {
				if line = strings.TrimSpace(line); strings.Contains(got, line) {
					t.Errorf("the output holds %q of the provider's text", line)
				}
			}
		})
	}
}

func text(t *testing.T, o Output) string {
	t.Helper()

	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

func TestProviderHealthy(t *testing.T) {
	const unreachable = "observe failed: cannot run refresh: refresh failed: dial tcp 192.168.4.2:8006: connect: connection refused"

	cases := map[string]struct {
		reason string
		in     func(*testing.T) Input
		want   Condition
		phase  v1alpha1.Phase
	}{
		"OnePerError": {
			reason: "An outage hits all resources alike: the error is told once for each kind, with all their names, in a fixed order.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := fails(settled(t), unreachable)
				for name, f := range in.State.Files {
					f.Status.Conditions = set(f.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: unreachable})
					in.State.Files[name] = f
				}

				return in
			},
			want: Condition{
				"ProviderHealthy", "False", "NetworkError", "vm (EnvironmentVM): The provider cannot reach the Proxmox API. Check endpoint in the credentials Secret (https://host:8006/), " +
					"whether its name resolves in the cluster, and whether a firewall or a NetworkPolicy stands between the provider's pod and port 8006. It is tried again by itself. " +
					"meta-data-0123456789, user-data-0123456789 (EnvironmentFile): The provider cannot reach the Proxmox API. Check endpoint in the credentials Secret (https://host:8006/), " +
					"whether its name resolves in the cluster, and whether a firewall or a NetworkPolicy stands between the provider's pod and port 8006. It is tried again by itself.",
			},
			phase: v1alpha1.PhaseRunning,
		},
		"UrgentFirst": {
			reason: "Of two errors, the one that somebody has to see to gives the reason.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := fails(settled(t), unreachable)
				f := in.State.Files[userData]
				f.Status.Conditions = set(f.Status.Conditions, proxmox.Condition{
					Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: apply failed: unable to authenticate user \"root\" over SSH",
				})
				in.State.Files[userData] = f

				return in
			},
			want: Condition{
				"ProviderHealthy", "False", "AuthenticationError", "user-data-0123456789 (EnvironmentFile): Node pve refuses the provider's SSH key. The credentials Secret needs ssh_username and ssh_private_key " +
					"(a key without a passphrase), and the public half must stand in that user's ~/.ssh/authorized_keys on the node. vm (EnvironmentVM): The provider cannot reach the Proxmox API. " +
					"Check endpoint in the credentials Secret (https://host:8006/), whether its name resolves in the cluster, and whether a firewall or a NetworkPolicy stands between the provider's pod " +
					"and port 8006. It is tried again by itself.",
			},
			phase: v1alpha1.PhaseRunning, // The snippet of a VM that was made does not keep it from running.
		},
		"NotRetryableFailsTheMachine": {
			reason: "An error that does not pass by itself makes the phase Failed.",
			in: func(t *testing.T) Input {
				t.Helper()

				return fails(settled(t), "observe failed: cannot run refresh: refresh failed: received an HTTP 401 response - Reason: invalid token value!")
			},
			want: Condition{
				"ProviderHealthy", "False", "AuthenticationError", "vm (EnvironmentVM): Proxmox refuses the provider's credentials. Check api_token in the credentials Secret: it reads user@realm!name=uuid, in one line. " +
					"`pveum user token list <user@realm>` shows whether the token exists and is not expired; the secret half is shown only when it is made, so make a new one if in doubt.",
			},
			phase: v1alpha1.PhaseFailed,
		},
		"ImageOfARunningVM": {
			reason: "An image that fails later is told, and neither the VM nor its image is less ready for it.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				f := in.State.DownloadFiles[image]
				f.Status.Conditions = []proxmox.Condition{
					{Type: "Ready", Status: "False", Reason: "Creating"},
					{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: apply failed: Could not get file metadata, unexpected error: invalid server response: '404 Not Found'"},
				}
				in.State.DownloadFiles[image] = f

				return in
			},
			want: Condition{
				"ProviderHealthy", "False", "ConfigurationError", "image-0123456789 (EnvironmentDownloadFile): There is no image under the catalogue's URL. " +
					"Correct images.nixos-25.05.url in the catalogue. Servers remove old builds: pin a release that stays.",
			},
			phase: v1alpha1.PhaseRunning,
		},
		"ImageThatIsThereAlready": {
			reason: "An image that somebody else put on the node is no error.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				f := in.State.DownloadFiles[image]
				f.Status.Conditions = []proxmox.Condition{
					{Type: "Ready", Status: "False", Reason: "Creating"},
					{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: apply failed: File already exists in the datastore, it was created outside of Terraform"},
				}
				in.State.DownloadFiles[image] = f

				return in
			},
			want:  noError,
			phase: v1alpha1.PhaseRunning,
		},
		"StaleLastAsyncOperation": {
			reason: "LastAsyncOperation can stay False for ever after all is well again; it says nothing then.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), func(vm *proxmox.ObservedVM) {
					vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: "apply failed: Cannot shrink local-lvm:x"})
				})
			},
			want:  noError,
			phase: v1alpha1.PhaseRunning,
		},
		"UnknownNamesTheObject": {
			reason: "An error that is not in the table says how to read it, with the whole name of the kind.",
			in: func(t *testing.T) Input {
				t.Helper()

				return fails(settled(t), "something new")
			},
			want: Condition{
				"ProviderHealthy", "False", "ProviderError", "vm (EnvironmentVM): The provider reports an error that is not in the table of docs/conditions.md. Its text may hold secrets and is not repeated here; " +
					"read it with `kubectl get environmentvms.virtualenvironmentvm.proxmoxbpg.crossplane.io -l homelab.io/machine=dns01 -o yaml`, and please tell us its first line without them. " +
					"It is tried again by itself.",
			},
			phase: v1alpha1.PhaseRunning,
		},
		"UnknownOfANamespacedObject": {
			reason: "A namespaced managed resource is in the claim's namespace.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(fails(settled(t), "something new"), func(vm *proxmox.ObservedVM) {
					vm.APIVersion = "virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1"
				})
			},
			want: Condition{
				"ProviderHealthy", "False", "ProviderError", "vm (EnvironmentVM): The provider reports an error that is not in the table of docs/conditions.md. Its text may hold secrets and is not repeated here; " +
					"read it with `kubectl get environmentvms.virtualenvironmentvm.proxmoxbpg.m.crossplane.io -n infra -l homelab.io/machine=dns01 -o yaml`, and please tell us its first line without them. " +
					"It is tried again by itself.",
			},
			phase: v1alpha1.PhaseRunning,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Machine(tc.in(t))
			if diff := cmp.Diff(tc.want, got.condition(TypeProviderHealthy)); diff != "" {
				t.Errorf("%s\nMachine(...): -want, +got:\n%s", tc.reason, diff)
			}

			if got.Status.Phase != tc.phase {
				t.Errorf("%s\nphase: want %s, got %s", tc.reason, tc.phase, got.Status.Phase)
			}
		})
	}
}

// TestRetryDoesNotFlap follows an update that fails again and again: while the provider tries, Synced is True, and neither
// readiness nor conditions may come and go with it.
func TestRetryDoesNotFlap(t *testing.T) {
	const message = "apply failed: cannot move the Cloud-Init drive while automatic power-offs/reboots are disabled by 'reboot_after_update = false'"

	failed := func(t *testing.T) Input {
		t.Helper()

		return edit(fails(settled(t), "update failed: "+message), func(vm *proxmox.ObservedVM) {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: message})
		})
	}
	trying := func(in Input) Input {
		return edit(in, func(vm *proxmox.ObservedVM) {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "True", Reason: "ReconcileSuccess"})
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "AsyncOperation", Status: "False", Reason: "Ongoing"})
		})
	}
	done := func(in Input) Input {
		return edit(in, func(vm *proxmox.ObservedVM) {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "AsyncOperation", Status: "True", Reason: "Finished"})
		})
	}

	in := failed(t)
	first := Machine(in)

	if c := first.condition(TypeProviderHealthy); c.Reason != ReasonRebootRequired {
		t.Fatalf("the first failure is %s", c.Reason)
	}

	in = trying(in)
	in.Previous = after(first)
	second := Machine(in)

	if diff := cmp.Diff(first.Conditions, second.Conditions); diff != "" {
		t.Errorf("while it is tried again: -before, +now:\n%s", diff)
	}

	if len(second.Events) > 0 || second.Ready[render.VMName] {
		t.Errorf("while it is tried again: ready %t, events %v", second.Ready[render.VMName], second.Events)
	}

	in = done(in)
	in.Previous = after(second)
	third := Machine(in)

	if !third.Ready[render.VMName] || third.condition(TypeProviderHealthy) != noError {
		t.Errorf("after it went well, with a stale LastAsyncOperation: ready %t, %v", third.Ready[render.VMName], third.condition(TypeProviderHealthy))
	}

	in = trying(settled(t))
	in = edit(in, func(vm *proxmox.ObservedVM) {
		vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: message})
	})

	if o := Machine(in); !o.Ready[render.VMName] || o.condition(TypeProviderHealthy) != noError {
		t.Errorf("an update under way, with a stale LastAsyncOperation of a machine that was well: ready %t, %v", o.Ready[render.VMName], o.condition(TypeProviderHealthy))
	}
}
