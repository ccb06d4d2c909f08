package playground

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
)

// edits of example/cluster, or of a claim.
func textsOf(t testing.TB) Texts {
	t.Helper()

	var out Texts

	for file, to := range map[string]*string{"home.yaml": &out.Claim, "catalogue.yaml": &out.Catalogue} {
		b, err := os.ReadFile("../../example/cluster/" + file)
		if err != nil {
			t.Fatal(err)
		}

		*to = string(b)
	}

	return out
}

// wholly plays a rehearsal to its end, and holds each answer against the one before.
func wholly(t *testing.T, e Edit) Played {
	t.Helper()

	p, err := New()
	if err != nil {
		t.Fatal(err)
	}

	out, err := p.Rehearse(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}

	phases := []Phase{PhaseBefore, PhasePlays, PhaseOver}

	for out.Phase != PhaseOver {
		next, err := p.PlayOn()
		if err != nil {
			t.Fatal(err)
		}

		if slices.Index(phases, next.Phase) < slices.Index(phases, out.Phase) || next.Phase != PhaseOver && len(next.Steps) < len(out.Steps) {
			t.Fatalf("%s with %d steps follows %s with %d", next.Phase, len(next.Steps), out.Phase, len(out.Steps))
		}

		out = next
	}

	return out
}

// TestRehearse: what the page gets of an edit, as JSON.
func TestRehearse(t *testing.T) {
	machine := Texts{Claim: claim}
	runs := func(state Look, word string) Box {
		return Box{Machine: "files01", VMID: 160, Host: "pve", State: state, Word: word}
	}

	cases := map[string]struct {
		reason string
		edit   Edit
		want   Played
	}{
		"Nothing": {
			"The verdict says that nothing is done.",
			Edit{Claim: claim, Before: machine},
			Played{
				Phase: PhaseOver, Outcome: "done", Steps: []Scene{{At: "0s", Says: []string{}, Etcd: []Votes{}, Boxes: []Box{runs(LookRuns, "runs")}}},
				Words: rehearse.Words{Verdict: []string{"Verdict: done. The edit does nothing."}, Sums: []string{"Sums: 0 restarts, 0 made, 0 destroyed."}},
			},
		},
		"Stop": {
			"A machine is out of service.",
			Edit{Claim: claim + "  power: Stopped\n", Before: machine},
			Played{
				Phase: PhaseOver, Outcome: "done", Steps: []Scene{
					{At: "0s", Says: []string{}, Etcd: []Votes{}, Boxes: []Box{runs(LookRuns, "runs")}},
					{
						Number: 1, At: "20s", Says: []string{"VM 160 (files01, pve) is stopped", "  away: files01"}, Etcd: []Votes{},
						Boxes: []Box{runs(LookAway, "out of service: is off")},
					},
				},
				Words: rehearse.Words{Verdict: []string{"Verdict: done after 20s."}, Sums: []string{"Sums: 0 restarts, 0 made, 0 destroyed."}},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, wholly(t, tc.edit)); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRehearseWaits: who waits for a person is shown so from there on.
func TestRehearseWaits(t *testing.T) {
	got := wholly(t, Edit{Claim: claim + "  size: {memory: 8Gi}\n", Before: Texts{Claim: claim}})
	last := got.Steps[len(got.Steps)-1]

	if got.Outcome != "waits" || last.Boxes[0].State != LookWaits || !strings.Contains(strings.Join(last.Says, "\n"), "RebootPending") {
		t.Errorf("want a wait for a restart: %+v", got)
	}
}

// TestRehearseBirth: without anything before, machines are made.
func TestRehearseBirth(t *testing.T) {
	got := wholly(t, Edit{Claim: claim})

	if len(got.Steps[0].Boxes) > 0 || !slices.ContainsFunc(got.Steps, func(s Scene) bool { return len(s.Boxes) == 1 && s.Boxes[0].Word != "" }) {
		t.Errorf("want a birth: %+v", got)
	}
}

// TestRehearseObserved: what runs counts, and not what was typed before.
func TestRehearseObserved(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}

	observed, err := p.Running(t.Context(), Request{Claim: claim})
	if err != nil {
		t.Fatal(err)
	}

	got := wholly(t, Edit{Claim: claim + "  power: Stopped\n", Observed: observed, Before: Texts{Claim: "nonsense: {"}})
	if got.Outcome != "done" || len(got.Steps) != 2 || got.Steps[1].Boxes[0].State != LookAway {
		t.Errorf("want a stop of what runs: %+v", got)
	}
}

// TestRehearseCluster: nodes on their hosts, with their votes; every box has a word, and nothing in JSON is null.
func TestRehearseCluster(t *testing.T) {
	before := textsOf(t)
	after := before
	after.Claim = strings.Replace(before.Claim, "class: server", "class: server\n    template: {size: {memory: 9Gi}}", 1)

	got := wholly(t, Edit{Claim: after.Claim, Catalogue: after.Catalogue, Before: before})

	for _, s := range got.Steps {
		if len(s.Etcd) != 1 || !s.Etcd[0].Majority || len(s.Boxes) == 0 {
			t.Errorf("step %d: want the votes of one etcd, with a majority, and boxes: %+v", s.Number, s)
		}

		for _, b := range s.Boxes {
			if b.Word == "" || b.Host == "" || b.State == "" {
				t.Errorf("step %d: %+v", s.Number, b)
			}
		}
	}

	if b, err := json.Marshal(got.Steps); err != nil || strings.Contains(string(b), "null") {
		t.Errorf("%v: %s", err, b)
	}

	if len(got.Steps) < 4 {
		t.Errorf("want a rollout: %+v", got)
	}
}

// TestRehearseFaults: what cannot be rehearsed says why, and nothing is played on.
func TestRehearseFaults(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		edit   Edit
		want   string
	}{
		"NoYAML":   {"The claim is no YAML.", Edit{Claim: "a: {"}, "claim.yaml"},
		"Before":   {"What was is none.", Edit{Claim: claim, Before: Texts{Claim: "a: {"}}, "as they were"},
		"Observed": {"What is observed is none.", Edit{Claim: claim, Observed: "a: {"}, "what is observed"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := New()
			if err != nil {
				t.Fatal(err)
			}

			if _, err := p.Rehearse(t.Context(), tc.edit); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s Want %q, got %v", tc.reason, tc.want, err)
			}

			if _, err := p.PlayOn(); err == nil {
				t.Errorf("%s Something is played", tc.reason)
			}
		})
	}
}

// drained are example/cluster where the function reads Nodes, and an edit for which each of its five nodes is replaced after a drain.
func drained(texts Texts) (before, after Texts) {
	before = Texts{
		Claim:     strings.Replace(texts.Claim, "  servers:\n", "  deletionPolicy: Delete\n  deletionProtection: false\n  rollout: {replacePolicy: WhenNeeded, drain: true}\n  servers:\n", 1),
		Catalogue: strings.Replace(texts.Catalogue, "      tlsSANs:", "      observe: Here\n      providerConfig: home\n      tlsSANs:", 1),
	}
	after = before
	after.Claim = strings.NewReplacer("class: server\n", "class: server\n    image: debian-12\n", "class: agent\n", "class: agent\n      image: debian-12\n").Replace(before.Claim)

	return before, after
}

// BenchmarkRehearse plays such an edit, from a playground that has played nothing yet.
func BenchmarkRehearse(b *testing.B) {
	before, after := drained(textsOf(b))

	for b.Loop() {
		p, err := New()
		if err != nil {
			b.Fatal(err)
		}

		out, err := p.Rehearse(b.Context(), Edit{Claim: after.Claim, Catalogue: after.Catalogue, Before: before})
		for err == nil && out.Phase != PhaseOver {
			out, err = p.PlayOn()
		}

		if err != nil || out.Outcome != "done" {
			b.Fatalf("%v: %v", err, out.Words)
		}

		b.ReportMetric(float64(len(out.Steps)-1), "steps")
	}
}
