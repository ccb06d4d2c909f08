package guestreport

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	cases := map[string]struct {
		reason string
		names  []string
		k3s    K3s
		nix    Nix
	}{
		"Silent":        {reason: "The agent does not answer.", names: nil},
		"Old":           {reason: "A machine from before there were reports.", names: []string{"lo", "eth0", "flannel.1", "cni0", "veth12ab34cd"}},
		"Waiting":       {reason: "It may take half an hour.", names: []string{"lo", "eth0", "k3s-waiting"}, k3s: K3s{State: K3sWaiting}},
		"Installing":    {reason: "14 of 15 characters.", names: []string{"lo", "eth0", "k3s-installing"}, k3s: K3s{State: K3sInstalling}},
		"Joined":        {reason: "Anywhere in the list.", names: []string{"k3s-joined", "lo", "eth0", "cni0"}, k3s: K3s{State: K3sJoined}},
		"Endpoint":      {reason: "Cut off after seven letters.", names: []string{"lo", "k3s-bad-endpoin"}, k3s: K3s{State: K3sFailed, Outcome: "endpoint"}},
		"K3s":           {reason: "Shorter than seven letters.", names: []string{"lo", "k3s-bad-k3s"}, k3s: K3s{State: K3sFailed, Outcome: "k3s"}},
		"LaterOutcome":  {reason: "A script of a later release.", names: []string{"lo", "k3s-bad-weather"}},
		"Foreign":       {reason: "Somebody's own bridge, and an interface in capitals.", names: []string{"lo", "k3s-lan", "K3S-JOINED", "k3s-joined2", "k3s"}},
		"Two":           {reason: "Nobody knows which is the newer one.", names: []string{"lo", "k3s-waiting", "k3s-joined"}},
		"Twice":         {reason: "No kernel has one name twice.", names: []string{"k3s-joined", "k3s-joined"}},
		"BothKinds":     {reason: "No machine is both.", names: []string{"k3s-joined", "nix-ok-3f9a0c"}},
		"TwoAndForeign": {reason: "A foreign name beside a report does not matter.", names: []string{"k3s-lan", "k3s-joined", "nix-os"}, k3s: K3s{State: K3sJoined}},
		"Applied":       {reason: "Six digits of the commit.", names: []string{"lo", "ens18", "nix-ok-3f9a0c"}, nix: Nix{State: NixApplied, Revision: "3f9a0c"}},
		"RebootPending": {reason: "Applied, but for the kernel.", names: []string{"nix-boot-3f9a0c"}, nix: Nix{State: NixRebootPending, Revision: "3f9a0c"}},
		"Held":          {reason: "15 characters.", names: []string{"nix-held-3f9a0c"}, nix: Nix{State: NixHeld, Revision: "3f9a0c"}},
		"HeldAtOnce":    {reason: "Held before anything was applied.", names: []string{"nix-held"}, nix: Nix{State: NixHeld}},
		"Failed":        {reason: "The remote cannot be read: no revision.", names: []string{"nix-bad"}, nix: Nix{State: NixFailed}},
		"FailedBuild":   {reason: "A revision that does not build.", names: []string{"nix-bad-00ff00"}, nix: Nix{State: NixFailed, Revision: "00ff00"}},
		"RolledBack":    {reason: "A revision that was rejected.", names: []string{"nix-back-3f9a0c"}, nix: Nix{State: NixRolledBack, Revision: "3f9a0c"}},
		"ShortRevision": {reason: "Six digits are few enough.", names: []string{"nix-ok-3f9a0"}},
		"LongRevision":  {reason: "A script of a later release.", names: []string{"nix-ok-3f9a0c7"}},
		"NoHexadecimal": {reason: "Somebody's own bridge.", names: []string{"nix-ok-eth0"}},
		"EmptyRevision": {reason: "A dash alone.", names: []string{"nix-ok-"}},
		"LaterState":    {reason: "A script of a later release.", names: []string{"nix-done-3f9a0c"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.k3s, ReadK3s(tc.names)); diff != "" {
				t.Errorf("%s\nK3s of %q: -want, +got:\n%s", tc.reason, tc.names, diff)
			}

			if diff := cmp.Diff(tc.nix, ReadNix(tc.names)); diff != "" {
				t.Errorf("%s\nNixOS of %q: -want, +got:\n%s", tc.reason, tc.names, diff)
			}
		})
	}
}

// TestNamesFit: the kernel refuses a longer name, and two words must not become one by being cut off.
func TestNamesFit(t *testing.T) {
	if got, want := len(K3sNames()), 3+len(k3sOutcomes); got != want {
		t.Errorf("%d names of K3s nodes, want %d: two outcomes begin alike", got, want)
	}

	names := []string{}
	for name := range K3sNames() {
		names = append(names, name)
	}

	for word := range nixWords {
		names = append(names, word+"-000000")
	}

	for _, name := range names {
		if len(name) > maxName || !Is(name) {
			t.Errorf("%s has %d characters; the kernel takes %d", name, len(name), maxName)
		}
	}
}
