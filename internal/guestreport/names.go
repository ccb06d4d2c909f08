package guestreport

import (
	"regexp"
	"strings"
)

// maxName is the maximum length of a link's name in the Linux kernel (IFNAMSIZ without the final zero).
const maxName = 15

// A K3sState is how far a node's bootstrap has come.
type K3sState string

// The states of a K3s node's bootstrap.
const (
	// K3sUnknown: the guest reports nothing that can be understood. It is the zero value.
	K3sUnknown K3sState = ""
	// K3sWaiting: the bootstrap waits for the clock, packages, the token or the cluster's address.
	K3sWaiting K3sState = "Waiting"
	// K3sInstalling: the bootstrap installs K3s, or waits until K3s serves.
	K3sInstalling K3sState = "Installing"
	// K3sJoined: K3s of this node has served once, or its kubelet was healthy once.
	K3sJoined K3sState = "Joined"
	// K3sFailed: the last run of the bootstrap failed, and the run under way has not come further. The next run begins by itself.
	K3sFailed K3sState = "Failed"
)

// A K3s is what a K3s node reports of itself.
type K3s struct {
	State K3sState
	// Outcome is why the run failed, in the words of docs/observability.md, such as endpoint; only in state Failed.
	Outcome string
}

// K3s outcomes of a failed run, in the order of its stages. The bootstrap script uses the same words in its metrics.
var k3sOutcomes = []string{ //nolint:gochecknoglobals // A constant table.
	"configuration", "packages", "token", "endpoint", "installer", "k3s", "refused", "error",
}

// k3sBad is what names of failed runs begin with. The first seven letters of the outcome follow, as many as fit.
const k3sBad = "k3s-bad-"

// K3sNames are all names of links of K3s nodes, with their meaning.
func K3sNames() map[string]K3s {
	out := map[string]K3s{
		"k3s-waiting":    {State: K3sWaiting},
		"k3s-installing": {State: K3sInstalling},
		"k3s-joined":     {State: K3sJoined},
	}

	for _, outcome := range k3sOutcomes {
		out[k3sBad+outcome[:min(len(outcome), maxName-len(k3sBad))]] = K3s{State: K3sFailed, Outcome: outcome}
	}

	return out
}

// A NixState is what the last run of a NixOS machine's convergence came to.
type NixState string

// The states of a NixOS machine.
const (
	// NixUnknown: the guest reports nothing that can be understood. It is the zero value.
	NixUnknown NixState = ""
	// NixApplied: the machine runs and boots the revision.
	NixApplied NixState = "Applied"
	// NixRebootPending: the revision is applied, and the machine has to reboot to run all of it.
	NixRebootPending NixState = "RebootPending"
	// NixHeld: a hold file keeps the machine as it is.
	NixHeld NixState = "Held"
	// NixFailed: the run failed, and the machine runs what it ran before.
	NixFailed NixState = "Failed"
	// NixRolledBack: the revision was activated and rejected, and the machine is back at what it ran before.
	NixRolledBack NixState = "RolledBack"
)

// A Nix is what a NixOS machine reports of itself.
type Nix struct {
	State NixState
	// Revision is the first six hexadecimal digits of the Git commit that the state is about: the one that was applied last or, in the
	// states Failed and RolledBack, the one that was tried. Empty where the machine knows none.
	Revision string
}

// nixWords are the names of links of NixOS machines, as far as they have no revision. "-" and the revision can follow.
var nixWords = map[string]NixState{ //nolint:gochecknoglobals // A constant table.
	"nix-ok": NixApplied, "nix-boot": NixRebootPending, "nix-held": NixHeld, "nix-bad": NixFailed, "nix-back": NixRolledBack,
}

// nixRevision is the revision of a name.
var nixRevision = regexp.MustCompile(`^[0-9a-f]{6}$`)

// nixOf reads the name of a NixOS machine's link.
func nixOf(name string) (Nix, bool) {
	family, rest, _ := strings.Cut(name, "-")
	word, revision, has := strings.Cut(rest, "-")

	state, known := nixWords[family+"-"+word]
	if !known || has && !nixRevision.MatchString(revision) {
		return Nix{}, false
	}

	return Nix{State: state, Revision: revision}, true
}
