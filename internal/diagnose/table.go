package diagnose

import (
	"regexp"
)

// rows is the table. The first row from the top that matches counts. The patterns match messages of provider-proxmox-bpg
// v1.18.0 with bpg/proxmox 0.111.1, as observed; patterns with the comment "Proxmox" match messages of Proxmox itself, known
// from other people's reports. They are regular expressions, because the messages contain names.
var rows = slicesOf( //nolint:gochecknoglobals // A constant table.
	lostRows,
	echoRows,
	networkRows,
	firewallRows,
	containerRows,
	siteRows,
	configurationRows,
	taintRows,
	accessRows,
	nodeRows,
	deviceRows,
	startRows,
	imageRows,
	storageRows,
	lockRows,
	changeRows,
	generalRows,
)

// Rows that code refers to by name.
const (
	// RowImmutable is the row of a managed resource that differs in a field that cannot change.
	RowImmutable    = "immutable"
	rowPaused       = "paused"
	rowCutOff       = "create.unknown"
	rowVMIDTaken    = "vmid.taken"
	rowVMIDOther    = "vmid.container"
	rowNothingThere = "import.missing"
	rowSilent       = "import.silent"
	rowPermission   = "permission"
	rowTaintedStart = "tainted.start"
	rowTaintedOther = "tainted.other"
)

// echoRows: messages that contain the provider's SSH key or a whole user-data, and a condition without a message.
var echoRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: rowPaused, text: has(`^ReconcilePaused`), Class: ClassPaused, Retryable: true,
		Meaning: "Somebody paused this managed resource, so the provider ignores it.",
		Remedy: "Remove the annotation: `kubectl annotate <resource> -l " +
			"homelab.io/machine=<machine>,homelab.io/namespace=<namespace> crossplane.io/paused-`.",
	},
	{
		Name: "snippet.full", text: has(`error transferring file: (?s:.*)No space left on device`), Class: ClassQuotaExceeded,
		Meaning: "The datastore for snippets on node <node> is full.",
		Remedy: "Free space on it (`df -h`, `pvesm status` on the node), or choose another datastore: catalogue key " +
			"sites.<site>.nodes.<node>.datastores.snippets.",
	},
	{
		Name: "snippet.write", text: has(`error transferring file: `), Class: ClassConfigurationError,
		Meaning: "The provider reached node <node> over SSH, but could not write the snippet.",
		Remedy: "ssh_username in the provider's credentials must be root, or a user who may run `sudo tee` in the datastore's " +
			"folder snippets without a password. The folder must exist and be writable (`pvesm status`, `ls -ld " +
			"/var/lib/vz/snippets` on the node).",
	},
	{
		// Pauses, because each attempt writes the SSH key into an event and into the provider's log, and a name never changes.
		Name: "render.name", text: has(`cannot init workspace: (?s:.*)Invalid resource name`), Class: ClassValidationFailed, Pauses: true,
		Meaning: "The name of this managed resource is not a valid Terraform identifier. It comes from the composite's name.",
		Remedy:  "Delete the claim, and apply it under a name that starts with a letter and has only letters, digits and hyphens.",
	},
	{
		Name: rowCutOff, text: has(`cannot determine creation result`), Class: ClassProviderError,
		Meaning: "The provider was stopped while it created this resource, and cannot tell whether the creation succeeded.",
		Remedy: "The function retries a resource with a fixed name or VMID in a moment. It does not retry a VM whose VMID Proxmox " +
			"chooses, because a retry could create a second VM: `qm list` on node <node> shows whether the provider began one. Destroy it only if it " +
			"has this machine's notes (`qm config`) and has never run. Then remove the provider's mark: `kubectl annotate <resource> -l " +
			"homelab.io/machine=<machine>,homelab.io/namespace=<namespace> crossplane.io/external-create-pending- looked-at=yes " +
			"--overwrite` (adding an annotation makes the provider reconcile).",
	},
	{
		Name: "provider.workspace", Class: ClassProviderError, Retryable: true,
		text:    has(`cannot init workspace: |cannot get a terraform workspace for resource`),
		Meaning: "The provider cannot set up its Terraform workspace for this managed resource.",
		Remedy: "Check the provider's pod: its log, its memory, and its space for temporary files. A restart of the pod recreates " +
			"all workspaces.",
	},
}

// configurationRows: the provider failed before it called Proxmox.
var configurationRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "config.providerconfig", text: has(`cannot get referenced ProviderConfig: (?s:.*)not found`), Class: ClassConfigurationError,
		Meaning: "The ProviderConfig of this machine's site does not exist.",
		Remedy: "Create it, or name an existing one in the catalogue (keys sites.<site>.providerConfig and providerConfigKind; " +
			"without a catalogue the name is `default`). `kubectl get " +
			"providerconfigs.proxmoxbpg.crossplane.io,clusterproviderconfigs.proxmoxbpg.m.crossplane.io` lists them.",
	},
	{
		Name: "config.secret", text: has(`cannot get credentials secret: (?s:.*)not found|cannot unmarshal proxmox credentials`), Class: ClassConfigurationError,
		Meaning: "The Secret with the provider's credentials is missing or has the wrong format.",
		Remedy: "Create the Secret that spec.credentials.secretRef of the ProviderConfig names. Its key holds one JSON object with " +
			"string values only, for instance {\"endpoint\": \"https://pve.example:8006/\", \"api_token\": \"user@realm!name=uuid\", " +
			"\"insecure\": \"false\"}.",
	},
	{
		// crossplane/crossplane-runtime#1010, crossplane/crossplane#4661: a usage that is gone before its managed resource cannot be made again.
		Name: "kubernetes.namespace", text: has(`because it is being terminated`), Class: ClassConfigurationError,
		Meaning: "Somebody has deleted the namespace of the managed resource: the provider can write nothing into it any more, and so cannot delete the VM in Proxmox either. The VM is as it was.",
		Remedy: "A namespace that is being deleted does not come back. With `qm list` on the nodes, write down which VMs of the namespace there are. To keep them, remove the finalizer of their managed resources, " +
			"and adopt the VMs with claims in another namespace (docs/day-two.md, \"Adopting an existing VM\"). To be rid of them, do the same, and delete those claims.",
	},
	{
		// Kubernetes: RBAC and quotas. crossplane/crossplane#5820, #6320, crossplane-contrib/provider-upjet-gcp#818.
		Name: "kubernetes.forbidden", Class: ClassConfigurationError, Retryable: true,
		text:    has(`is forbidden: (?:User "|exceeded quota)`),
		Meaning: "Kubernetes does not let the provider read or write one of its own objects. Nothing in Proxmox was changed.",
		Remedy: "Crossplane's RBAC manager gives the provider its rights: its pod must run, and `kubectl get providerrevisions.pkg.crossplane.io` must be healthy, without a second package for the same kinds. " +
			"`kubectl auth can-i --list --as=system:serviceaccount:crossplane-system:<account>` shows what it has. After `exceeded quota`, raise the ResourceQuota of the namespace (`kubectl describe resourcequota`).",
	},
	{
		Name: "config.scope", text: has(`resource is not a managed resource`), Class: ClassConfigurationError, // valkiriaaquatica/provider-proxmox-bpg#188.
		Meaning: "This release of the provider cannot use its configuration for managed resources of this scope, cluster or namespace. Nothing in Proxmox was changed.",
		Remedy:  "Use a release of the provider that docs/compatibility.md names (`kubectl get providers.pkg.crossplane.io` shows the one that is installed).",
	},
	{
		Name: "config.setup", text: has(`cannot get terraform setup`), Class: ClassConfigurationError,
		Meaning: "The provider cannot use its ProviderConfig.",
		Remedy:  "Check the site's ProviderConfig (catalogue key sites.<site>.providerConfig) and its Secret.",
	},
	{
		Name: "import.id", text: has(`unexpected format of ID \(`), Class: ClassConfigurationError,
		Meaning: "This managed resource is observe-only, and its external name does not have the form node/id.",
		Remedy:  "Correct the annotation crossplane.io/external-name of the managed resource.",
	},
	{
		Name: rowNothingThere, text: has(`external resource does not exist|HA resource not found`), Class: ClassConfigurationError,
		Meaning: "This managed resource is observe-only, and Proxmox has nothing with its external name.",
		Remedy: "Correct the annotation crossplane.io/external-name or the managementPolicies of the managed resource. (Of a VM " +
			"this is no error: it says that the VMID is free, see condition VMIDInUse. Neither is it of an entry of the HA manager, for which the provider looks before it adds one.)",
	},
	{
		Name: "render.template", text: has(`Invalid reference: |Invalid template |Invalid expression: |Call to unknown function`), Class: ClassValidationFailed,
		Meaning: "A string in this managed resource, or in a Secret that the provider reads, contains `${` or `%{`, and the " +
			"provider parses it as a Terraform template.",
		Remedy: "The function escapes the strings of a claim. Strings that somebody wrote into the managed resource, and passwords " +
			"in a Secret, are not escaped: write `$${` or `%%{` there.",
	},
}

// unplannable is Terraform's message about every change that would destroy a VM or a file.
const unplannable = `Instance cannot be destroyed`

// Remedies for a VM that the provider does not change any more.
const (
	anew = "replace the VM: set spec.lifecycle.replace to a new value (the old VM is then destroyed with all its disks; change or remove a fixed " +
		"spec.proxmox.vmId in the same commit; condition ReplacementRequired says whether a K3s server may be replaced)"
	restart = "restart the provider's pod (`kubectl -n crossplane-system delete pod -l pkg.crossplane.io/provider=provider-proxmox-bpg`, " +
		"while no machine is being created or deleted)"
)

// then are the remedies of an object that an operation left half made, once the cause is mended, by row.
var then = map[string]string{ //nolint:gochecknoglobals // A constant table.
	rowTaintedStart: "Then " + restart + ": the provider then starts this VM. Or " + anew + ".",
	rowTaintedOther: "Then " + restart + ", or " + anew + ".",
}

// taintRows: the provider wants to destroy and recreate an object, and may not.
var taintRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// A file that is gone is written again, and a VM has read its own already: never a reason to replace it. valkiriaaquatica/provider-proxmox-bpg#223.
		Name: "file.changed", text: has(unplannable + `: Resource proxmox_virtual_environment_(?:file|download_file)\.`), Class: ClassImmutableChange, Retryable: true,
		Meaning: "A snippet or an image on node <node> is not, or not whole, what the provider wrote there: somebody changed the file, or its transfer broke off. The VM keeps running as it is.",
		Remedy: "Delete the file on the node, whose name the managed resource has (`pvesm list <datastore> --content snippets,import`, `pvesm free <volume>`): the provider writes it again with its next poll. " +
			"If the managed resource was edited, undo that edit.",
	},
	{
		Name: rowTaintedStart, text: has(unplannable), after: has(`VM start: task`), Class: ClassTainted,
		Meaning: "The provider created the VM, but Proxmox could not start it. The provider considers the VM tainted and does not " +
			"change it any more.",
		Remedy: "The task log of VM <vmId> on the node shows the cause: a missing snippet or bridge, or too little memory. Fix the " +
			"cause first. " + then[rowTaintedStart],
	},
	{
		// The second pattern matches at the moment of the failure, before the provider's next poll.
		Name: "tainted.resize", text: has(unplannable + `|create failed: (?s:.*)disk resize`), Class: ClassTainted,
		after: has(`VM disk resize: task|shrinking disks is not supported|is lower than current size`),
		Meaning: "The provider created the VM, but Proxmox could not resize its disk. The provider considers the VM tainted and " +
			"does not change it any more.",
		Remedy: "A disk must be at least as large as its image or template (`qemu-img info` on the file): raise spec.size.disk, " +
			"and set images.<image>.disk in the catalogue to the same size. Then " + anew + ". This VM never ran and holds no data: if it is " +
			"still there when its claim is gone, `qm destroy <vmId>` on the node removes it.",
	},
	{
		Name: rowTaintedOther, text: has(unplannable), after: has(`.`), Class: ClassTainted,
		Meaning: "An operation on this managed resource failed halfway. The provider considers the resource tainted and does not " +
			"change it any more.",
		Remedy: "The task log of the node shows the cause. Fix the cause first. " + then[rowTaintedOther],
	},
	{
		Name: RowImmutable, text: has(unplannable), Class: ClassImmutableChange, Retryable: true,
		Meaning: "This managed resource differs from the object on the node in a field that cannot change; all other changes of the " +
			"resource wait.",
		Remedy: "If the VM was moved to another node, the error passes in a moment. Otherwise somebody edited the managed " +
			"resource: undo that edit. (The function never writes such an edit from the claim; condition ReplacementRequired lists " +
			"them.) If the old value cannot be restored, " + anew + ".",
	},
}

// slicesOf concatenates tables.
func slicesOf(tables ...[]Row) []Row {
	var out []Row
	for _, t := range tables {
		out = append(out, t...)
	}

	return out
}

func has(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }
