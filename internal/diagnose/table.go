package diagnose

import (
	"regexp"
)

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

// Rows that code asks for by name.
const (
	rowPaused       = "paused"
	rowCutOff       = "create.unknown"
	rowNothingThere = "import.missing"
	rowSilent       = "import.silent"
)

// echoRows: texts with the provider's SSH key or a whole user-data in them, and a condition without any text.
var echoRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: rowPaused, text: has(`^ReconcilePaused`), Class: ClassPaused, Retryable: true,
		Meaning: "Somebody paused this managed resource: nothing happens to it.",
		Remedy:  "Take the annotation off: `kubectl annotate <resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> crossplane.io/paused-`.",
	},
	{
		Name: "snippet.full", text: has(`error transferring file: (?s:.*)No space left on device`), Class: ClassQuotaExceeded,
		Meaning: "The datastore for snippets on node <node> is full.",
		Remedy: "Make room on it (`df -h`, `pvesm status` on the node), or choose another one: catalogue key " +
			"sites.<site>.nodes.<node>.datastores.snippets.",
	},
	{
		Name: "snippet.write", text: has(`error transferring file: `), Class: ClassConfigurationError,
		Meaning: "The provider reached node <node> over SSH, and could not write the snippet.",
		Remedy: "The user ssh_username of the provider's credentials must be root, or may run `sudo tee` on the datastore's folder snippets " +
			"without a password; the folder must exist and be writable (`pvesm status`, `ls -ld /var/lib/vz/snippets` on the node).",
	},
	{
		// Each try writes the SSH key into an event and the provider's log; a name never changes.
		Name: "render.name", text: has(`cannot init workspace: (?s:.*)Invalid resource name`), Class: ClassValidationFailed, Pauses: true,
		Meaning: "The name of this managed resource, which comes from the composite's, is no Terraform identifier.",
		Remedy:  "Delete the claim and apply it under a name that starts with a letter and holds only letters, digits and hyphens.",
	},
	{
		Name: rowCutOff, text: has(`cannot determine creation result`), Class: ClassProviderError,
		Meaning: "The provider was stopped while it made this, and cannot tell whether it was made.",
		Remedy: "What has a fixed name or number is tried again by itself in a moment. A VM whose number Proxmox chooses is not, since there could be two " +
			"of it then: destroy the one that was begun, if there is one (`qm list` on node <node>), and take the provider's mark off: `kubectl annotate " +
			"<resource> -l homelab.io/machine=<machine>,homelab.io/namespace=<namespace> crossplane.io/external-create-pending- looked-at=yes --overwrite` (the provider notices the second one).",
	},
	{
		Name: "provider.workspace", Class: ClassProviderError, Retryable: true,
		text:    has(`cannot init workspace: |cannot get a terraform workspace for resource`),
		Meaning: "The provider cannot set up its workspace for this managed resource.",
		Remedy:  "Look at the provider's pod: its log, its memory, and its room for temporary files. A restart of the pod makes all workspaces anew.",
	},
}

// configurationRows: the provider never got as far as Proxmox.
var configurationRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "config.providerconfig", text: has(`cannot get referenced ProviderConfig`), Class: ClassConfigurationError,
		Meaning: "The ProviderConfig that this machine's site names does not exist.",
		Remedy: "Create it, or name one that exists (catalogue keys sites.<site>.providerConfig and providerConfigKind; without a catalogue it " +
			"is `default`). `kubectl get providerconfigs.proxmoxbpg.crossplane.io,clusterproviderconfigs.proxmoxbpg.m.crossplane.io` lists " +
			"them.",
	},
	{
		Name: "config.secret", text: has(`cannot get credentials secret|cannot unmarshal proxmox credentials`), Class: ClassConfigurationError,
		Meaning: "The Secret with the provider's credentials is missing, or is not what the provider reads.",
		Remedy: "Create the Secret that spec.credentials.secretRef of the ProviderConfig names. Its key holds one JSON object whose values are " +
			"all strings, for instance {\"endpoint\": \"https://pve.example:8006/\", \"api_token\": \"user@realm!name=uuid\", \"insecure\": \"false\"}.",
	},
	{
		Name: "config.setup", text: has(`cannot get terraform setup`), Class: ClassConfigurationError,
		Meaning: "The provider cannot use its ProviderConfig.",
		Remedy:  "Look at the ProviderConfig of the site (catalogue key sites.<site>.providerConfig) and at the Secret that it names.",
	},
	{
		Name: "import.id", text: has(`unexpected format of ID \(`), Class: ClassConfigurationError,
		Meaning: "The provider only looks at this managed resource, and its external name is not of the form node/id.",
		Remedy:  "Correct the annotation crossplane.io/external-name of the managed resource.",
	},
	{
		Name: rowNothingThere, text: has(`external resource does not exist`), Class: ClassConfigurationError,
		Meaning: "The provider only looks at this managed resource, and finds nothing under its external name.",
		Remedy: "Correct the annotation crossplane.io/external-name or the managementPolicies of the managed resource. (Of a VM it is no error: it " +
			"says that a number is free, see condition VMIDInUse.)",
	},
	{
		Name: "render.template", text: has(`Invalid reference: |Invalid template |Invalid expression: |Call to unknown function`), Class: ClassValidationFailed,
		Meaning: "A string of this managed resource, or of a Secret that the provider reads, holds `${` or `%{`, and the provider takes it for " +
			"a Terraform template.",
		Remedy: "Strings of a claim are escaped; one that somebody wrote into the managed resource, or a password in a Secret, is not. Write " +
			"`$${` or `%%{` there.",
	},
}

// unplannable is what Terraform says of every change that would destroy a VM or a file.
const unplannable = `Instance cannot be destroyed`

// What may be done about a VM that the provider touches no more.
const (
	anew = "set spec.lifecycle.replace to a new word, which makes a new VM in the place of this one (a fixed spec.proxmox.vmId has to " +
		"change or go for that; whether a K3s server may, says condition ReplacementRequired)"
	restart = "restart the provider's pod (`kubectl -n crossplane-system delete pod -l pkg.crossplane.io/provider=provider-proxmox-bpg`, " +
		"while no machine is being made or deleted)"
)

// taintRows: the provider wants to make a thing anew, and may not.
var taintRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "tainted.start", text: has(unplannable), after: has(`VM start: task`), Class: ClassTainted,
		Meaning: "The VM was made and could not be started; the provider takes it for half made and touches it no more.",
		Remedy: "The task log of VM <vmId> on the node says why: a snippet or a bridge that is not there, or too little memory. Put that " +
			"right first. Then " + anew + ", or " + restart + ": it starts this VM.",
	},
	{
		// Also at the moment in which it fails, before the provider looks again.
		Name: "tainted.resize", text: has(unplannable + `|create failed: (?s:.*)disk resize`), Class: ClassTainted,
		after:   has(`VM disk resize: task|shrinking disks is not supported|is lower than current size`),
		Meaning: "The VM was made and its disk could not be brought to its size; the provider takes it for half made and touches it no more.",
		Remedy: "A disk must be at least as large as its image or template (`qemu-img info` on the file): raise spec.size.disk, and put the " +
			"figure into the catalogue as images.<image>.disk. Then " + anew + "; this VM never ran, and holds no data.",
	},
	{
		Name: "tainted.other", text: has(unplannable), after: has(`.`), Class: ClassTainted,
		Meaning: "An operation on this managed resource failed half way; the provider takes it for half made and touches it no more.",
		Remedy:  "Find the cause in the task log of the node, and put it right. Then " + restart + "; or " + anew + ".",
	},
	{
		Name: "immutable", text: has(unplannable), Class: ClassImmutableChange, Retryable: true,
		Meaning: "This managed resource differs from what is on the node in something that cannot change; all of its other changes wait.",
		Remedy: "A VM that was moved to another node puts itself right in a moment. Else somebody edited the managed resource: the claim's own " +
			"changes of this kind are held back and are named in condition ReplacementRequired. What cannot be put back needs a new VM: " + anew + ".",
	},
}

// slicesOf puts tables one after the other.
func slicesOf(tables ...[]Row) []Row {
	var out []Row
	for _, t := range tables {
		out = append(out, t...)
	}

	return out
}

func has(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }
