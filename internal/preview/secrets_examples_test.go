package preview

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// missingSecrets are those that a dummy stands for, as the preview says it.
var missingSecrets = regexp.MustCompile(`# Secret (\S+)/(\S+) is not here`)

// TestSecretsOfExamplesAreJudged holds of every claim of the examples what TestSecretsAreJudged holds of one: whatever a Secret holds that a claim or its
// catalogue names, a preview with dummies refuses it as one with the Secret does.
func TestSecretsOfExamplesAreJudged(t *testing.T) {
	configuration, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	claims, err := configuration.ReadClaims([]string{filepath.Join(repository, "example")}, nil)
	if err != nil {
		t.Fatal(err)
	}

	values := map[string]string{
		"Words": "three words of hunter2hunter2", "Letters": "h\u00fcnter2hunter2hunter2", "Half": "K10hunter2hunter2", "Whole": "K10" + strings.Repeat("ab", 32) + "::server:hunter2hunter2",
	}

	secrets, refused := 0, 0

	for _, c := range claims {
		story, err := Files{Secrets: NoFile}.Story(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}

		r := Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true, StandIns: true}

		// A claim that asks for no Secret has none to be judged.
		out, err := r.Render(t.Context(), story).YAML()
		if err != nil {
			t.Fatal(err)
		}

		for _, secret := range missingSecrets.FindAllStringSubmatch(string(out), -1) {
			secrets++

			for name, value := range values {
				with := story
				with.Required = append(slices.Clone(story.Required), secretOf(t, story, secret[1], secret[2], value))

				shown := r.Render(t.Context(), with).Err
				whole := r
				whole.StandIns = false

				held := whole.Render(t.Context(), with).Err
				if fmt.Sprint(shown) != fmt.Sprint(held) {
					t.Errorf("%s, %s of %s: with dummies\n%v\nwith the Secret\n%v", c.Object.GetName(), name, secret[0], shown, held)
				}

				if held != nil {
					refused++
				}
			}
		}
	}

	if secrets < 5 || refused < 10 {
		t.Errorf("%d Secrets are named, and %d contents refused: nothing was tried", secrets, refused)
	}
}

// secretOf a story: each key that its claim or its catalogue names has the value.
func secretOf(t *testing.T, s Story, namespace, name, value string) unstructured.Unstructured {
	t.Helper()

	keys, contents := map[string]bool{}, map[string]any{}
	collectKeys(s.Claim.Object.Object["spec"], name, keys)

	for _, o := range s.Required {
		collectKeys(o.Object["data"], name, keys)
	}

	for key := range keys {
		contents[key] = value
	}

	out := object(t, "{apiVersion: v1, kind: Secret, metadata: {name: "+name+", namespace: "+namespace+"}}")
	out.Object["stringData"] = contents

	return out
}
