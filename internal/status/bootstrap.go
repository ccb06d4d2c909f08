package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A bootstrapReport is about what the VM's cloud-init drive holds.
type bootstrapReport struct {
	machine *machine.Machine
	now     *bootstrap.Bootstrap // As the claim describes it.
	plan    *lifecycle.Plan
	vm      *activeVM
	files   map[string]proxmox.ObservedFile // Snippets, by composed resource name.
}

// condition is the condition on the VM's bootstrap data, which is read once, when the VM first starts.
func (b *bootstrapReport) condition() Condition {
	c := Condition{Type: TypeBootstrapCurrent, Status: Truth(true)}

	switch {
	case isAdopted(b.plan):
		c.Reason = ReasonAdopted
		c.Message = "The VM was adopted, so the function did not write its bootstrap data."
	case b.now.Lack != nil:
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonTokenSecretMissing
		if !b.now.Lack.Token {
			c.Reason = ReasonSecretMissing
		}

		c.Message = "Secret " + b.now.Lack.Secret + " with " + b.now.Lack.For + ", in the claim's namespace, cannot be read, so the function cannot compare " +
			"the bootstrap data of claim and VM. A running VM keeps running. Apply the Secret."

		if why := wrongKey(*b.now.Lack); why != "" {
			c.Message = why + " So the function cannot compare the bootstrap data of claim and VM. A running VM keeps running."
		}
	case b.now.Undetermined:
		c.Status, c.Reason = metav1.ConditionUnknown, ReasonCatalogueEntryMissing
		c.Message = "The bootstrap data of the claim depends on an entry that the catalogue lacks (condition SpecValid), so the function cannot " +
			"compare the bootstrap data of claim and VM. The VM keeps running with its data. Add the entry to the catalogue."
	case b.outdated():
		return b.changed(b.now.Differences(b.asMade()))
	default:
		c.Reason, c.Message = b.current()
	}

	return c
}

// current says what is to be said of a VM whose bootstrap data is not outdated.
func (b *bootstrapReport) current() (reason, message string) {
	if changed := b.secretsChanged(); changed != "" {
		return ReasonSecretChanged, changed
	}

	if b.now.Hash != "" || b.hash() != "" {
		return ReasonCurrent, "VM and claim have the same bootstrap data."
	}

	message = "This machine has no frozen bootstrap data."
	if why := b.now.NoAgent; why != "" && !b.vm.hasGuestAgent() {
		message += " Its first boot installs no guest agent: " + why + "."
	}

	return ReasonNotFrozen, message
}

// maxKeys is the number of a Secret's keys that a message lists.
const maxKeys = 10

// secretsChanged says that files from Secrets have another content now than on the VM's first boot; empty if they have not. The hash
// of the bootstrap data does not tell, so that nobody can guess a secret from it.
func (b *bootstrapReport) secretsChanged() string {
	if !b.vm.made || !b.now.HasSecrets() {
		return ""
	}

	var fields []string

	for _, d := range b.now.Differences(b.asMade()) {
		if d.Kind == bootstrap.DifferenceSecret {
			fields = append(fields, d.Field)
		}
	}

	if len(fields) == 0 {
		return ""
	}

	return changedSecrets(fields)
}

func changedSecrets(fields []string) string {
	return "Secrets have other values than when the VM was created: " + strings.Join(fields, ", ") + ". The guest keeps the files of its first boot, and new VMs " +
		"get the new values. If the guest needs them, write the files there; you need not replace the VM."
}

// wrongKey says why the Secret that is there does not do: it has other keys than the one that is named, or the value is unfit. Empty where
// there is no Secret.
func wrongKey(lack bootstrap.Lack) string {
	if lack.Keys == nil {
		return ""
	}

	if lack.Unfit != "" {
		return fmt.Sprintf("Key %s of Secret %s in the claim's namespace, with %s, %s.", quote(lack.Key), lack.Secret, lack.For, lack.Unfit)
	}

	has := "It has no keys"
	if all := lack.Keys; len(all) > 0 {
		some := make([]string, 0, maxKeys)
		for _, k := range all[:min(len(all), maxKeys)] {
			some = append(some, foreign(k, maxForeignMachine))
		}

		has = "Its keys are " + strings.Join(some, ", ")
		if more := len(all) - len(some); more > 0 {
			has += fmt.Sprintf(" and %d more", more)
		}
	}

	return fmt.Sprintf("Secret %s in the claim's namespace has no key %s with %s. %s: add the key, or name the right one in %s.",
		lack.Secret, quote(lack.Key), lack.For, has, lack.Field)
}

// changed is the condition on bootstrap data that differ. Token and release of K3s ask for nothing: a node that has joined needs no
// token any more, and its cluster upgrades it.
func (b *bootstrapReport) changed(all []bootstrap.Difference) Condition {
	fields := make([]string, 0, len(all))
	asks := len(all) == 0 // Where nobody knows what differs, it may be anything.

	var inCluster []bootstrap.Difference

	var version, token string

	var disks, secrets []string

	for _, d := range all {
		name := d.Field

		switch d.Kind {
		case bootstrap.DifferenceField:
			asks = true
		case bootstrap.DifferenceCluster:
			inCluster = append(inCluster, d)
		case bootstrap.DifferenceToken:
			token = cmp.Or(token, changedToken(d))
		case bootstrap.DifferenceSecret:
			secrets = append(secrets, d.Field)
		case bootstrap.DifferenceDisk:
			disks = append(disks, d.Advice)
		case bootstrap.DifferenceVersion:
			name += ": " + d.Has + " to " + d.Wanted
			version = "The VM was created with K3s " + d.Has + ", and new VMs get " + d.Wanted + ". " + b.upgrades()
		}

		fields = append(fields, name)
	}

	if len(secrets) > 0 {
		token = sentences(token, changedSecrets(secrets))
	}

	c := Condition{Type: TypeBootstrapCurrent, Status: Truth(true)}

	switch {
	case asks || len(inCluster) > 0:
		c.Status, c.Reason, c.Message = Truth(false), ReasonBootstrapChanged, b.otherData(fields, inCluster, asks)
	case len(disks) > 0:
		c.Reason, c.Message = ReasonDataDisksChanged, sentences(setUpDisks(disks), version, token)
	case version != "":
		c.Reason, c.Message = ReasonK3sVersionChanged, sentences(version, token)
	default:
		c.Reason, c.Message = ReasonTokenChanged, token
	}

	return c
}

// otherData says that fields differ from what the VM was created with, and what to do. asks says that only a new VM gets some of them.
func (b *bootstrapReport) otherData(fields []string, inCluster []bootstrap.Difference, asks bool) string {
	text := differsFrom
	if len(fields) > 0 {
		text += ": " + strings.Join(fields, ", ")
	}

	advice, use := changedInCluster(inCluster), ""

	switch {
	case asks && advice != "":
		use = "Once that is done, to use the rest, " + newMachine(b.machine) + "."
	case asks:
		use = "To use the new data, " + newMachine(b.machine) + "."
	case advice != "":
		use = "This condition ends when the VM is replaced for another reason, or when the edit is taken back: the function does not see what is done in the cluster."
	}

	return sentences(text+".", "The VM keeps running with its old data.", advice, use)
}

// changedInCluster says what to do about settings of a cluster that exists, once for those with the same advice; empty for none. It comes before what is
// said of a new VM: a server that is replaced with such a setting does not join.
func changedInCluster(all []bootstrap.Difference) string {
	var advice []string

	fields := map[string][]string{}

	for _, d := range all {
		if fields[d.Advice] == nil {
			advice = append(advice, d.Advice)
		}

		fields[d.Advice] = append(fields[d.Advice], d.Field)
	}

	if len(advice) == 0 {
		return ""
	}

	texts := make([]string, 0, len(advice))
	for _, a := range advice[:min(len(advice), maxAdvice)] {
		texts = append(texts, "For "+strings.Join(fields[a], ", ")+", do not replace the VM: "+a+".")
	}

	switch more := len(advice) - len(texts); {
	case more == 1:
		texts = append(texts, "1 more setting of the cluster differs.")
	case more > 1:
		texts = append(texts, fmt.Sprintf("%d more settings of the cluster differ.", more))
	}

	return strings.Join(texts, " ")
}

// maxAdvice is the number of pieces of advice about a cluster that a message has.
const maxAdvice = 2

// upgrades says who upgrades K3s on the node of an existing VM.
func (b *bootstrapReport) upgrades() string {
	if b.machine.K3s != nil && b.machine.K3s.SystemUpgrade != nil {
		return "The system-upgrade-controller upgrades the existing node, and condition " + TypeVersionCurrent + " says how far that is."
	}

	return "The node keeps the release that it runs until it is upgraded in the cluster: by hand, by the system-upgrade-controller, or with spec.upgrade of a K3sCluster."
}

// differsFrom begins what [TypeBootstrapCurrent] says of bootstrap data that differ.
const differsFrom = "The claim, or its catalogue, describes other bootstrap data than the VM was created with"

// NamesFields says whether a message of [ReasonBootstrapChanged] names the fields that differ: else nobody knows what does, and it may be a secret alone.
func NamesFields(message string) bool { return strings.HasPrefix(message, differsFrom+": ") }

// WithoutField is a message of [ReasonBootstrapChanged] without one of several fields that it names.
func WithoutField(message, field string) string {
	return strings.NewReplacer(": "+field+", ", ": ", ", "+field+", ", ", ", ", "+field+". ", ". ").Replace(message)
}

// tokenDiffers begins what [TypeBootstrapCurrent] says of another token.
const tokenDiffers = "The K3s token differs"

// OfToken is what a message of [TypeBootstrapCurrent] says of a token that new VMs get, beside a release; empty where it says nothing of one.
func OfToken(message string) string {
	if i := strings.Index(message, tokenDiffers); i >= 0 {
		return message[i:]
	}

	return ""
}

// changedToken says what differs about a token, and that a node which has joined needs nothing.
func changedToken(d bootstrap.Difference) string {
	const joined = ". A node needs the token to join, and not afterwards; "

	if d.Field == bootstrap.FieldTrust {
		return "token.trustOnFirstUse differs from what the VM was created with" + joined + "new VMs follow it. You need not do anything, unless this node has not " +
			"joined yet: then replace its VM."
	}

	return tokenDiffers + " from the token that the VM was created with" + joined + "new VMs get the new token, and join only if it is the cluster's, too. " +
		"That takes `k3s token rotate` on a server, and then the new token in every node's token file (docs/bootstrap.md, \"How to provide the token\"); if it is not " +
		"to change, write the former token back. This node needs nothing else, unless it has not joined yet: then replace its VM."
}

// sentences joins those that are not empty.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}

// maxDisks is the number of data disks for which a message has the commands.
const maxDisks = 3

// setUpDisks says what to do in the guest about data disks.
func setUpDisks(advice []string) string {
	some := advice[:min(len(advice), maxDisks)]
	text := "The claim describes other file systems or mount paths of data disks than the VM was created with. The guest stays as it is; do not replace the " +
		"VM for this, because a new one has empty disks. " + strings.Join(some, " ")

	if more := len(advice) - len(some); more > 0 {
		text += fmt.Sprintf(" %d more disks differ.", more)
	}

	return text
}

// asMade is what the VM was created with, as far as its snippets say.
func (b *bootstrapReport) asMade() bootstrap.Made {
	var out bootstrap.Made

	for _, init := range b.vm.seen.Spec.ForProvider.Initialization {
		out = bootstrap.Made{
			UserDataID: init.UserDataFileID, VendorDataID: init.VendorDataFileID, MetaDataID: init.MetaDataFileID, Native: init.UserDataFileID == "",
		}
	}

	for _, f := range b.files {
		switch f.Spec.ForProvider.VolumeID() {
		case "":
		case out.UserDataID:
			out.UserData, out.UserDataID = proxmox.TextOf(f), ""
		case out.MetaDataID:
			out.MetaDataID = ""
		}
	}

	// Ours, beside the user-data that Proxmox generated.
	if out.Native && strings.HasSuffix(out.VendorDataID, ".vendor-data.yaml") && out.VendorDataID != b.now.VendorDataID {
		out.VendorDataID = ""
	}

	// Ours, whose managed resources are gone.
	if strings.HasSuffix(out.UserDataID, ".user-data.yaml") && out.UserDataID != b.now.UserDataID {
		out.UserDataID = ""
	}

	if strings.HasSuffix(out.MetaDataID, ".meta-data.yaml") && out.MetaDataID != b.now.MetaDataID {
		out.MetaDataID = ""
	}

	return out
}

// k3sVersion is the release of K3s that the VM was, or will be, created with; empty where the function does not decide that, or does
// not know it any more. before is what the status said.
func (b *bootstrapReport) k3sVersion(before string) string {
	switch {
	case b.machine.K3s == nil || isAdopted(b.plan):
		return ""
	case !b.outdated() && b.now.Mode != bootstrap.ModeRendered:
		return ""
	case !b.outdated():
		return b.machine.K3s.Version
	}

	made := b.asMade()
	if made.UserDataID != "" {
		return "" // A person's own snippet.
	}

	return cmp.Or(bootstrap.K3sVersion(made.UserData), before)
}

// outdated says whether the VM was made with other bootstrap data than the claim describes, or may have been.
func (b *bootstrapReport) outdated() bool {
	return b.vm.made && !isAdopted(b.plan) && (b.now.Lack != nil || b.now.Undetermined || !b.now.Describes(b.hash()))
}

// hash identifies the bootstrap data that the VM was or will be made with; empty where nothing is rendered.
func (b *bootstrapReport) hash() string {
	if b.vm.made {
		return b.vm.seen.Metadata.Annotations[proxmox.BootstrapHashAnnotation]
	}

	return b.now.Hash
}

// status is nil where nothing is rendered.
func (b *bootstrapReport) status() *v1alpha1.BootstrapStatus {
	out := v1alpha1.BootstrapStatus{Hash: b.hash()}

	if b.outdated() {
		out.PendingHash = b.now.Hash
	}

	if out == (v1alpha1.BootstrapStatus{}) {
		return nil
	}

	return &out
}
