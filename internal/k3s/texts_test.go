package k3s

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/memo"
)

// TestTexts: each text is made once, no value gets another one's, and a failure is not remembered.
func TestTexts(t *testing.T) {
	var (
		is   = memo.New[string, string](mostTexts)
		made []string
	)

	of := func(c config) string {
		text, err := textOf(is, c, func() (string, error) {
			made = append(made, c.NodeName)
			return toYAML(c)
		})
		if err != nil {
			t.Fatal(err)
		}

		return text
	}

	values := []config{
		{NodeName: "a"},
		{NodeName: "a", NodeIP: "1"},
		{NodeName: "a", NodeIP: int64(1)},
		{NodeName: "a", NodeIP: []any{"1"}},
		{NodeName: "a", FlannelIface: "1"},
		{NodeName: "a", NodeLabels: []string{"b", "c"}},
		{NodeName: "a", NodeLabels: []string{"b,c"}},
		{NodeName: "a", NodeTaints: []string{"b", "c"}},
		{NodeName: "a", Further: map[string]any{"debug": true}},
		{NodeName: "a", Further: map[string]any{"debug": "true"}},
		{NodeName: "a", ClusterInit: true},
	}
	texts := map[string]int{}

	for i, v := range values {
		first := of(v)
		if other, same := texts[first]; same {
			t.Errorf("values %d and %d have the text %q", other, i, first)
		}

		texts[first] = i

		if again := of(v); again != first {
			t.Errorf("value %d: %q, and then %q", i, first, again)
		}
	}

	if len(made) != len(values) {
		t.Errorf("%d texts were made of %d values", len(made), len(values))
	}

	if _, err := textOf(is, config{NodeName: "x"}, func() (string, error) { return "", errors.New("broken") }); err == nil {
		t.Error("an error is lost")
	}

	if diff := cmp.Diff("node-name: x\n", of(config{NodeName: "x"})); diff != "" {
		t.Error(diff)
	}
}
