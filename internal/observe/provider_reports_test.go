package observe

import (
	"strings"
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
		synced: "ReconcileError: connect failed: cannot get a terraform workspace for resource: cannot write main tf file: write main.tf.json: no space left on device",
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
