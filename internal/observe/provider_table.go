package observe

import (
	"regexp"
)

// A row of the table of provider errors. One row is all that an error needs: conditions, events and docs/conditions.md
// follow from it.
type row struct {
	// name of the row in tests and documents, for instance storage.missing.
	name string
	// text matches what condition Synced says, as "Reason: message", or, where only that explains a resource that is not
	// ready, the message of condition LastAsyncOperation. A message may echo whole files, so a row whose error does so
	// stands before all rows that such a file could match.
	text *regexp.Regexp
	// after, if any, must match the message of condition LastAsyncOperation as well.
	after *regexp.Regexp
	// class is the reason of the condition; NoError says that nothing is wrong.
	class string
	// meaning is a sentence about what is wrong, remedy one or more about what a person can do. <vmId>, <node>, <site>,
	// <image>, <machine> and <resource> stand for the machine's own.
	meaning, remedy string
	// retryable says that it may pass without anybody doing anything.
	retryable bool
}

// unknown is the row of all other errors.
var unknown = row{ //nolint:gochecknoglobals // A constant table.
	name:    "other",
	class:   ReasonProviderError,
	meaning: "The provider reports an error that is not in the table of docs/conditions.md.",
	remedy: "Its text may hold secrets and is not repeated here; read it with `kubectl get <resource> -l homelab.io/machine=<machine> -o " +
		"yaml`, and please tell us its first line without them.",
	retryable: true,
}

// rows is the table, matched from top to bottom. The texts are those of provider-proxmox-bpg v1.18.0 with bpg/proxmox
// 0.111.1, as observed; those that say "Proxmox:" are Proxmox' own, known from reports of others. Substrings are written
// as regular expressions, to allow for the names in them.
var rows = slicesOf( //nolint:gochecknoglobals // A constant table.
	echoRows,
	configurationRows,
	taintRows,
	accessRows,
	nodeRows,
	imageRows,
	storageRows,
	changeRows,
	generalRows,
)

// echoRows: texts with the provider's SSH key or a whole user-data in them, and a condition without any text.
var echoRows = []row{ //nolint:gochecknoglobals // A constant table.
	{
		name: "paused", text: has(`^ReconcilePaused`), class: ReasonPaused, retryable: true,
		meaning: "Somebody paused this managed resource: nothing happens to it.",
		remedy:  "Take the annotation off: `kubectl annotate <resource> -l homelab.io/machine=<machine> crossplane.io/paused-`.",
	},
	{
		name: "snippet.full", text: has(`error transferring file: (?s:.*)No space left on device`), class: ReasonQuotaExceeded,
		meaning: "The datastore for snippets on node <node> is full.",
		remedy: "Make room on it (`df -h`, `pvesm status` on the node), or choose another one: catalogue key " +
			"sites.<site>.nodes.<node>.datastores.snippets.",
	},
	{
		name: "snippet.write", text: has(`error transferring file: `), class: ReasonConfigurationError,
		meaning: "The provider reached node <node> over SSH, and could not write the snippet.",
		remedy: "The user ssh_username of the provider's credentials must be root, or may run `sudo tee` on the datastore's folder snippets " +
			"without a password; the folder must exist and be writable (`pvesm status`, `ls -ld /var/lib/vz/snippets` on the node).",
	},
	{
		name: "render.name", text: has(`cannot init workspace: (?s:.*)Invalid resource name`), class: ReasonValidationFailed,
		meaning: "The name of this managed resource, which comes from the composite's, is no Terraform identifier.",
		remedy:  "Delete the claim and apply it under a name that starts with a letter and holds only letters, digits and hyphens.",
	},
	{
		name: "provider.workspace", class: ReasonProviderError, retryable: true,
		text:    has(`cannot init workspace: |cannot get a terraform workspace for resource`),
		meaning: "The provider cannot set up its workspace for this managed resource.",
		remedy:  "Look at the provider's pod: its log, its memory, and its room for temporary files. A restart of the pod makes all workspaces anew.",
	},
}

// configurationRows: the provider never got as far as Proxmox.
var configurationRows = []row{ //nolint:gochecknoglobals // A constant table.
	{
		name: "config.providerconfig", text: has(`cannot get referenced ProviderConfig`), class: ReasonConfigurationError,
		meaning: "The ProviderConfig that this machine's site names does not exist.",
		remedy: "Create it, or name one that exists (catalogue keys sites.<site>.providerConfig and providerConfigKind; without a catalogue it " +
			"is `default`). `kubectl get providerconfigs.proxmoxbpg.crossplane.io,clusterproviderconfigs.proxmoxbpg.m.crossplane.io` lists " +
			"them.",
	},
	{
		name: "config.secret", text: has(`cannot get credentials secret|cannot unmarshal proxmox credentials`), class: ReasonConfigurationError,
		meaning: "The Secret with the provider's credentials is missing, or is not what the provider reads.",
		remedy: "Create the Secret that spec.credentials.secretRef of the ProviderConfig names. Its key holds one JSON object whose values are " +
			"all strings, for instance {\"endpoint\": \"https://pve.example:8006/\", \"api_token\": \"user@realm!name=uuid\", \"insecure\": \"false\"}.",
	},
	{
		name: "config.setup", text: has(`cannot get terraform setup`), class: ReasonConfigurationError,
		meaning: "The provider cannot use its ProviderConfig.",
		remedy:  "Look at the ProviderConfig of the site (catalogue key sites.<site>.providerConfig) and at the Secret that it names.",
	},
	{
		name: "import.id", text: has(`unexpected format of ID \(`), class: ReasonConfigurationError,
		meaning: "The provider only looks at this managed resource, and its external name is not of the form node/id.",
		remedy:  "Correct the annotation crossplane.io/external-name of the managed resource.",
	},
	{
		name: "import.missing", text: has(`external resource does not exist`), class: ReasonConfigurationError,
		meaning: "The provider only looks at this managed resource, and finds nothing under its external name.",
		remedy:  "Correct the annotation crossplane.io/external-name or the managementPolicies of the managed resource.",
	},
	{
		name: "render.template", text: has(`Invalid reference: |Invalid template |Invalid expression: |Call to unknown function`), class: ReasonValidationFailed,
		meaning: "A string of this managed resource, or of a Secret that the provider reads, holds `${` or `%{`, and the provider takes it for " +
			"a Terraform template.",
		remedy: "Strings of a claim are escaped; one that somebody wrote into the managed resource, or a password in a Secret, is not. Write " +
			"`$${` or `%%{` there.",
	},
}

// unplannable is what Terraform says of every change that would destroy a VM or a file.
const unplannable = `Instance cannot be destroyed`

// taintRows: the provider wants to make a thing anew, and may not.
var taintRows = []row{ //nolint:gochecknoglobals // A constant table.
	{
		name: "tainted.start", text: has(unplannable), after: has(`VM start: task`), class: ReasonTainted,
		meaning: "The VM was made and could not be started; the provider takes it for half made and touches it no more.",
		remedy: "The task log of VM <vmId> on the node says why: a snippet or a bridge that is not there, or too little memory. Put that " +
			"right, then restart the provider's pod (`kubectl -n crossplane-system delete pod -l " +
			"pkg.crossplane.io/provider=provider-proxmox-bpg`, while no machine is being made or deleted): it starts the VM. A VM without " +
			"data can be made anew: set deletionPolicy to Delete, delete the claim, and apply it again.",
	},
	{
		name: "tainted.resize", text: has(unplannable), class: ReasonTainted,
		after:   has(`VM disk resize: task|shrinking disks is not supported|is lower than current size`),
		meaning: "The VM was made and its disk could not be brought to its size; the provider takes it for half made and touches it no more.",
		remedy: "A disk must be at least as large as its image or template (`qemu-img info` on the file): raise spec.size.disk, and put the " +
			"figure into the catalogue as images.<image>.disk. Then set deletionPolicy to " +
			"Delete, delete the claim, and apply it again: the VM never ran, and holds no data.",
	},
	{
		name: "tainted.other", text: has(unplannable), after: has(`.`), class: ReasonTainted,
		meaning: "An operation on this managed resource failed half way; the provider takes it for half made and touches it no more.",
		remedy: "Find the cause in the task log of the node, put it right, and restart the provider's pod (`kubectl -n crossplane-system " +
			"delete pod -l pkg.crossplane.io/provider=provider-proxmox-bpg`, while no machine is being made or deleted). A VM without data " +
			"can be made anew: set deletionPolicy to Delete, delete the claim, and apply it again.",
	},
	{
		name: "immutable", text: has(unplannable), class: ReasonImmutableChange, retryable: true,
		meaning: "This managed resource differs from what is on the node in something that cannot change; all of its other changes wait.",
		remedy: "A VM that was moved to another node puts itself right in a moment. Else somebody edited the managed resource: the claim's own " +
			"changes of this kind are held back and are named in condition ReplacementRequired.",
	},
}

// slicesOf puts tables one after the other.
func slicesOf(tables ...[]row) []row {
	var out []row
	for _, t := range tables {
		out = append(out, t...)
	}

	return out
}

func has(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }
