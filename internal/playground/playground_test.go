package playground

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const claim = `apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: files01}
spec:
  network: {ip: 192.168.4.60/24, gateway: 192.168.4.1}
  proxmox: {node: pve, vmId: 160}
  bootstrap: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home]}
`

// TestAnswer asks for each part of a claim: one that is good, one with a fault, and one that is no YAML.
func TestAnswer(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}

	for part, want := range map[Part]string{
		PartSummary: "VM 160 on pve", PartPicture: "<svg ", PartManifests: "kind: EnvironmentVM", PartPlan: "Machine default/files01: new",
	} {
		if a := p.Answer(t.Context(), Request{Claim: claim, Part: part}); !strings.Contains(a.Text, want) || a.Error != "" || len(a.Faults) != 0 {
			t.Errorf("%s: want %q and no fault in %+v", part, want, a)
		}
	}

	a := p.Answer(t.Context(), Request{Claim: claim, Part: PartUserData})
	if !strings.Contains(a.Error, "has no user-data of its own") {
		t.Errorf("%s: %+v", PartUserData, a)
	}

	a = p.Answer(t.Context(), Request{Claim: claim + "  bogus: 1\n", Part: PartSummary})
	if len(a.Faults) != 1 || a.Faults[0].Line != 8 || a.Faults[0].File != FileClaim || !strings.Contains(a.Error, "spec.bogus") {
		t.Errorf("an unknown field: want one fault in line 8 of %s in %+v", FileClaim, a)
	}

	if f := p.Answer(t.Context(), Request{Claim: claim + "  bogus: 1\n", Part: PartFaults}); !slices.Equal(f.Faults, a.Faults) || f.Text != "" || f.Error != "" {
		t.Errorf("faults alone: want those of the summary in %+v", f)
	}

	if a = p.Answer(t.Context(), Request{Claim: claim + "  x: {", Part: PartSummary}); len(a.Faults) == 0 || a.Error == "" {
		t.Errorf("no YAML: want a fault in %+v", a)
	}

	if a = p.Answer(t.Context(), Request{Claim: claim, Part: "nonsense"}); a.Error == "" {
		t.Error("want an error for a part that is not there")
	}
}

// TestWordsForThePage finds no option of a command line in what the page says: a reader cannot type one there.
func TestWordsForThePage(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}

	for name, req := range map[string]Request{
		"no catalogue": {Claim: strings.Replace(claim, "{node: pve, vmId: 160}", "{site: home}", 1)},
		"no class":     {Claim: claim + "  class: huge\n"},
		"a template":   {Claim: strings.Replace(claim, "files01", "{{ .Values.name }}", 1)},
		"a node":       {Claim: strings.Replace(claim, "kind: Machine", "kind: K3sNode", 1) + "  k3s: {cluster: home, role: server}\n"},
	} {
		for _, part := range Parts() {
			req.Part = part
			a := p.Answer(t.Context(), req)

			said := []string{a.Text, a.Error}
			for _, f := range a.Faults {
				said = append(said, f.Message)
			}

			if len(a.Faults) == 0 {
				t.Errorf("%s, %s: want a fault", name, part)
			}

			for _, words := range []string{" --", "kubectl machine", "OBSERVED"} {
				if text := strings.Join(said, "\n"); strings.Contains(text, words) {
					t.Errorf("%s, %s: the page says %q in\n%s", name, part, words, text)
				}
			}
		}
	}
}

// TestSecretInThePage warns of no Secret in clear text, which is about a repository, and of one that the API server refuses.
func TestSecretInThePage(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}

	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: default}\nstringData: {token: "

	for value, want := range map[string][]string{"secret}\n": {}, "1}\n": {"stringData.token"}} {
		got := []string{}
		for _, f := range p.Answer(t.Context(), Request{Claim: claim, Catalogue: secret + value, Part: PartFaults}).Faults {
			got = append(got, f.Path)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("token: %s-want, +got\n%s", value, diff)
		}
	}
}

// TestPlanOfAnotherInstallation plans with the flavour of what is observed, and not with the one for those who begin.
func TestPlanOfAnotherInstallation(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}

	read := func(file string) string {
		b, err := os.ReadFile(filepath.Join("../../example/day-two", file))
		if err != nil {
			t.Fatal(err)
		}

		return string(b)
	}

	a := p.Answer(t.Context(), Request{Claim: read("git01.yaml"), Observed: read("cluster/observed.yaml"), Part: PartPlan})
	for _, want := range []string{"Plan: 1 changed.", "\x1b[31mrefused: spec.image: ", "only spec.lifecycle.replace changes it"} {
		if !strings.Contains(a.Text, want) || a.Error != "" {
			t.Errorf("want %q in %+v", want, a)
		}
	}
}
