package rehearse

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestNamesakes: claims with one name are told apart, in what is done, who is away and who waits.
func TestNamesakes(t *testing.T) {
	const here = "namespace: infra-machines}\nspec:\n  class: server\n  size: {memory: 4Gi}"

	restarts := aMachine + "  lifecycle: {rebootPolicy: WhenNeeded}\n"
	elsewhere := strings.NewReplacer("namespace: infra-machines", "namespace: other", "192.168.4.61", "192.168.4.62").Replace(restarts)
	container := strings.NewReplacer("name: dns01", "name: git01").Replace(aContainer)

	for name, tc := range map[string]struct {
		reason  string
		claims  string
		edit    []string
		done    []string
		away    string
		longest string
	}{
		"Alone": {
			"Without a namesake the name is enough.", restarts,
			[]string{"memory: 4Gi", "memory: 6Gi"},
			[]string{"VM 4123 (git01, pve3) is changed: memory", "VM 4123 (git01, pve3) is stopped", "VM 4123 (git01, pve3) is started"},
			"git01", "git01",
		},
		"Namespaces": {
			"The namespace tells them apart: one of the two restarts.", restarts + "---\n" + elsewhere,
			[]string{here, strings.Replace(here, "4Gi", "6Gi", 1)},
			[]string{
				"VM 4123 (infra-machines/git01, pve3) is changed: memory", "VM 4123 (infra-machines/git01, pve3) is stopped",
				"VM 4123 (infra-machines/git01, pve3) is started",
			},
			"infra-machines/git01", "infra-machines/git01",
		},
		"Kinds": {
			"In one namespace the kind does.", restarts + "---\n" + container,
			[]string{"memory: 4Gi", "memory: 6Gi"},
			[]string{
				"VM 4123 (Machine infra-machines/git01, pve3) is changed: memory", "VM 4123 (Machine infra-machines/git01, pve3) is stopped",
				"VM 4123 (Machine infra-machines/git01, pve3) is started",
			},
			"Machine infra-machines/git01", "Machine infra-machines/git01",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := rehearsed(t, edited(t, tc.claims, tc.edit))

			var done, away []string

			for _, s := range r.Steps {
				done, away = append(done, s.Done...), append(away, s.Away...)
			}

			if diff := cmp.Diff(tc.done, done); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff([]string{tc.away}, away); diff != "" || r.Sums.LongestWho != tc.longest || r.Sums.LongestAway != 40 {
				t.Errorf("%s\n-want away, +got:\n%s\nand %s was for %s", tc.reason, diff, r.Sums.LongestWho, r.Sums.LongestAway)
			}

			if r.Verdict.Outcome != Done || r.Sums.Restarts != 1 {
				t.Errorf("%s\n%+v, %d restarts", tc.reason, r.Verdict, r.Sums.Restarts)
			}
		})
	}
}

// TestTwoClusters: clusters that have nothing to do with each other drain and upgrade their servers at one time, and each etcd is named.
func TestTwoClusters(t *testing.T) {
	lab := strings.NewReplacer("name: home", "name: lab", "cluster: home", "cluster: lab", "192.168.4.21", "192.168.4.22").Replace(threeServers)
	catalogue := []string{"  clusters:\n", "  clusters:\n    lab: {server: \"https://lab.home.arpa:6443\", observe: Object, providerConfig: lab}\n"}

	for name, tc := range map[string]struct {
		reason string
		edit   []string
		want   string
	}{
		"Drain": {
			"Two drains of servers of one cluster must never be, and these are two.",
			[]string{"class: server}", "class: server-large}", "rollout: {", "rollout: {drain: true, "},
			"etcd of K3sCluster infra-machines/home: 2 of 3 vote; etcd of K3sCluster infra-machines/lab: 2 of 3 vote",
		},
		"Upgrade": {
			"The same of upgrades.",
			[]string{"v1.36.5", "v1.36.6", "upgrade: None", "upgrade: SystemUpgrade"},
			"etcd of K3sCluster infra-machines/home: 2 of 3 vote; etcd of K3sCluster infra-machines/lab: 2 of 3 vote",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			claims := threeServers + "---\n" + lab
			with := strings.NewReplacer(catalogue...).Replace(aCatalogue)
			was, is := sceneWith(t, claims, with, preview.World{}), sceneWith(t, strings.NewReplacer(tc.edit...).Replace(claims), with, preview.World{})
			in := Input{Assumed: Usual(), Memory: memory}

			for _, machine := range []string{"K3sCluster infra-machines/home", "K3sCluster infra-machines/lab"} {
				before := was[machine]
				in.Machines = append(in.Machines, Machine{Name: machine, Was: &before, Is: is[machine]})
			}

			r := rehearsed(t, in)
			if r.Verdict.Outcome != Done || len(r.Verdict.Faults) > 0 {
				t.Errorf("%s\n%+v", tc.reason, r.Verdict)
			}

			said := false
			for _, s := range r.Steps {
				said = said || strings.Contains(strings.Join(s.lines(), "\n"), tc.want)
			}

			if !said {
				t.Errorf("want %q in %+v", tc.want, r.Steps)
			}
		})
	}
}

// TestPausedClaims: for a claim that is paused Crossplane does nothing, and that waits for a person where the edit is about it.
func TestPausedClaims(t *testing.T) {
	const paused = "namespace: infra-machines, annotations: {crossplane.io/paused: \"true\"}}"

	restarts := aMachine + "  lifecycle: {rebootPolicy: WhenNeeded}\n"
	was := strings.Replace(restarts, "namespace: infra-machines}", paused, 1)
	cluster := strings.Replace(threeServers, "namespace: infra-machines}", paused, 1)
	larger := []string{"memory: 4Gi", "memory: 6Gi"}

	for name, tc := range map[string]struct {
		reason   string
		claim    string
		edit     []string
		want     Outcome
		restarts int
	}{
		"Edited":    {"What is paused is not reached.", was, larger, Waits, 0},
		"Now":       {"Nor what is paused with the edit.", restarts, append([]string{"namespace: infra-machines}", paused}, larger...), Waits, 0},
		"Unpaused":  {"The edit takes effect when the pause goes.", was, append([]string{paused, "namespace: infra-machines}"}, larger...), Done, 1},
		"Untouched": {"What nobody edits waits for nobody.", was, nil, Done, 0},
		"Cluster":   {"No node of a cluster that is paused has its turn.", cluster, []string{"class: server}", "class: server-large}"}, Waits, 0},
		"False":     {"Only the word true pauses.", strings.Replace(was, `"true"`, `"false"`, 1), larger, Done, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := rehearsed(t, edited(t, tc.claim, tc.edit))
			if r.Verdict.Outcome != tc.want || r.Sums.Restarts != tc.restarts || len(r.Sums.Made) > 0 {
				t.Errorf("%s\n%+v with %+v", tc.reason, r.Verdict, r.Sums)
			}

			if tc.want == Waits && (len(r.Verdict.Waits) != 1 || r.Verdict.Waits[0].Reason != ReasonPaused) {
				t.Errorf("%s\n%+v", tc.reason, r.Verdict.Waits)
			}
		})
	}
}

// TestPausedClaimStays: its deletion waits, and destroys nothing, also where it was paused before.
func TestPausedClaimStays(t *testing.T) {
	for _, before := range []bool{true, false} {
		t.Run(fmt.Sprint("Before ", before), func(t *testing.T) { pausedClaimStays(t, before) })
	}
}

func pausedClaimStays(t *testing.T, before bool) {
	t.Helper()

	in := pruned(t, withData("  deletionProtection: false\n"), aCatalogue, []string{"Machine infra-machines/git01"})

	p, err := begin(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}

	setPause := func() {
		world.Object(p.machineOf("git01").Composite["metadata"])["annotations"] = map[string]any{pause: "true"}
	}

	if before {
		setPause()
	}

	w := p.commit(p.settle())
	m := p.machineOf("git01")

	setPause()

	for !w.act() {
		p.round++
	}

	var out Rehearsal
	w.end(&out)

	if v := out.Verdict; v.Outcome != Waits || len(v.Waits) != 1 || v.Waits[0].Reason != ReasonPaused || len(m.Proxmox.VMs) != 1 {
		t.Errorf("%+v, with %d VMs", v, len(m.Proxmox.VMs))
	}
}

// TestWindow: who upgrades within a window is told that the rehearsal has no clock.
func TestWindow(t *testing.T) {
	const (
		window  = "rollout: {window: {days: [saturday], startTime: \"02:00\", endTime: \"04:00\"}, "
		warning = "home: upgrades begin only in rollout.window (saturday, 02:00 to 04:00 UTC), and all else of the cluster waits for them. " +
			"The times above are as if that were open until all is done"
	)

	inPlace := strings.Replace(threeServers, "upgrade: None", "upgrade: SystemUpgrade", 1)
	upgrade := []string{"v1.36.5", "v1.36.6"}

	for name, tc := range map[string]struct {
		reason string
		edit   []string
		want   []string
	}{
		"Window":  {"Nodes are upgraded.", append([]string{"rollout: {", window}, upgrade...), []string{warning}},
		"None":    {"At any time.", upgrade, nil},
		"Nothing": {"Nobody is upgraded.", []string{"rollout: {", window}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var got []string

			for _, w := range rehearsed(t, edited(t, inPlace, tc.edit)).Warnings {
				if strings.Contains(w, "window") {
					got = append(got, w)
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
