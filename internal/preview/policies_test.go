package preview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestDecided: an edit that does nothing to what runs, and decides what happens later, is told.
func TestDecided(t *testing.T) {
	const machine, node, cluster, site = claim.KindMachine, claim.KindK3sNode, claim.KindK3sCluster, claim.KindProxmoxSite

	cases := map[string]struct {
		reason, kind, was, is string
		want                  []string // The beginnings of what follows "from then on".
	}{
		"Nothing":       {reason: "Nothing was edited.", kind: machine, was: `{deletionPolicy: Orphan}`, is: `{deletionPolicy: Orphan}`},
		"DefaultSaid":   {reason: "Nor where somebody says what is the default.", kind: machine, was: `{}`, is: `{deletionPolicy: Delete, runsCrossplane: false, lifecycle: {rebootPolicy: OnRequest}}`},
		"DefaultOfNode": {reason: "The default of a node is another one.", kind: node, was: `{}`, is: `{deletionPolicy: Delete}`, want: []string{"whoever deletes the claim destroys"}},
		"TakenOut":      {reason: "A field that is gone has its default.", kind: machine, was: `{deletionPolicy: Orphan}`, is: `{}`, want: []string{"whoever deletes the claim destroys"}},
		"Protection":    {reason: "It is told in both directions.", kind: machine, was: `{deletionProtection: true}`, is: `{deletionProtection: false}`, want: []string{"nothing keeps the claim from being deleted"}},
		"Unsaid":        {reason: "What is said no more may be the catalogue's, which nobody knows here.", kind: machine, was: `{deletionProtection: true}`, is: `{}`},
		"Reboots":       {reason: "The next edit restarts it.", kind: machine, was: `{}`, is: `{lifecycle: {rebootPolicy: WhenNeeded}}`, want: []string{"an edit that needs a power cycle restarts it by itself"}},
		"Rollout": {
			reason: "A cluster's policies are those of its rollout, in a fixed order.", kind: cluster, was: `{rollout: {drain: true}}`,
			is:   `{deletionPolicy: Delete, rollout: {rebootPolicy: WhenNeeded, replacePolicy: OnRequest}}`,
			want: []string{"whoever deletes", "an edit that needs a power cycle restarts each node", "an edit that needs new VMs leaves them as they are", "no outage waits for a drain"},
		},
		"DefaultOfRollout": {reason: "VMs are replaced unless somebody says otherwise.", kind: cluster, was: `{}`, is: `{rollout: {replacePolicy: WhenNeeded, rebootPolicy: OnRequest}}`},
		"ReplacesAgain":    {reason: "So is it where the word is gone.", kind: cluster, was: `{rollout: {replacePolicy: OnRequest}}`, is: `{}`, want: []string{"an edit that needs new VMs replaces them by itself"}},
		"DefaultOfSite":    {reason: "What a site made stays, unless somebody says otherwise.", kind: site, was: `{deletionPolicy: Delete}`, is: `{}`, want: []string{"what the claim made stays"}},
		"Crossplane":       {reason: "It is never stopped.", kind: machine, was: `{}`, is: `{runsCrossplane: true}`, want: []string{"the VM is never stopped"}},
		"Approval":         {reason: "Somebody has to approve.", kind: machine, was: `{}`, is: `{lifecycle: {approval: Always}}`, want: []string{"every edit waits until somebody approves it"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := func(text string) (out map[string]any) {
				if err := yaml.Unmarshal([]byte(text), &out); err != nil {
					t.Fatal(err)
				}

				return out
			}

			got := decided(tc.kind, spec(tc.was), spec(tc.is))

			for i := range min(len(got), len(tc.want)) {
				if strings.HasPrefix(got[i], "from then on "+tc.want[i]) {
					got[i] = tc.want[i]
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
