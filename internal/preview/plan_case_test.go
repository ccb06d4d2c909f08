package preview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A runningStory is an example of which everything runs.
type runningStory struct {
	renderer Renderer
	story    Story
	objects  []unstructured.Unstructured
}

// running is the first story of a file, once everything of it runs.
func running(t *testing.T, file string) runningStory {
	t.Helper()

	configuration, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	r := Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true}
	s := storiesOf(t, configuration, file)[0]

	objects, err := r.Running(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}

	return runningStory{renderer: r, story: s, objects: objects}
}

func (r runningStory) around(s Story) []Story {
	return []Story{WorldWith(r.objects).Around(r.renderer.Configuration, s)}
}

// edited plans an edit of the claim's spec.
func (r runningStory) edited(t *testing.T, edit func(spec map[string]any)) func() MachinePlan {
	t.Helper()

	return func() MachinePlan {
		of := r.story
		of.Claim.Object = *r.story.Claim.Object.DeepCopy()
		edit(of.Claim.Object.Object["spec"].(map[string]any))

		return r.renderer.Plan(t.Context(), r.around(of))[0]
	}
}

// made plans the claim where nothing exists.
func (r runningStory) made(t *testing.T) func() MachinePlan {
	t.Helper()

	return func() MachinePlan { return r.renderer.Plan(t.Context(), []Story{r.story})[0] }
}

// deleted plans the deletion of the claim.
func (r runningStory) deleted() func() MachinePlan {
	return func() MachinePlan { return r.renderer.PlanDeletion(r.around(r.story))[0] }
}

// A planCase is one plan, and what it is to say.
type planCase struct {
	reason string
	plan   func() MachinePlan
	state  State
	want   []Effect
	says   string
}

func (tc planCase) run(t *testing.T) {
	got := tc.plan()
	text := Plan{Machines: []MachinePlan{got}}.text(false)

	if diff := cmp.Diff(tc.want, got.Effects); diff != "" || got.State != tc.state {
		t.Errorf("%s: %s, want %s, and the effects -want, +got:\n%s", tc.reason, got.State, tc.state, diff)
	}

	if !strings.Contains(text, tc.says) || t.Failed() {
		t.Errorf("%s: want %q in\n%s", tc.reason, tc.says, text)
	}
}
