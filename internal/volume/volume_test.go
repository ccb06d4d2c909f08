package volume

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"
)

// TestVolumes: which volumes hold data that is on one Node and nowhere else.
func TestVolumes(t *testing.T) {
	const (
		bound    = "metadata: {name: pvc-1}\nstatus: {phase: Bound}\n"
		affinity = "spec: {claimRef: {namespace: media, name: photos}, nodeAffinity: {required: {nodeSelectorTerms: "
	)

	cases := map[string]struct {
		reason string
		volume string
		lives  bool
		holds  bool
		title  string
	}{
		"LocalPath": {
			reason: "The provisioner of K3s.", lives: true, holds: true, title: "media/photos",
			volume: bound + affinity + "[{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [agent-1]}]}]}}}",
		},
		"ByField": {
			reason: "Newer releases of it select by name.", lives: true, holds: true, title: "media/photos",
			volume: bound + affinity + "[{matchFields: [{key: metadata.name, operator: In, values: [agent-1]}]}]}}}",
		},
		"TopoLVM": {
			reason: "A label of its own.", lives: true, holds: true, title: "media/photos",
			volume: bound + affinity + "[{matchExpressions: [{key: topology.topolvm.io/node, operator: In, values: [agent-1.home.arpa]}]}]}}}",
		},
		"OtherNode": {
			reason: "It is another machine's.", holds: true, title: "media/photos",
			volume: bound + affinity + "[{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [agent-10]}]}]}}}",
		},
		"TwoNodes": {
			reason: "Either will do.", holds: true, title: "media/photos",
			volume: bound + affinity + "[{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [agent-1, agent-2]}]}]}}}",
		},
		"TwoTerms": {
			reason: "Another Node meets the second term.", holds: true, title: "media/photos",
			volume: bound + affinity + "[{matchFields: [{key: metadata.name, operator: In, values: [agent-1]}]}, {matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}",
		},
		"NotHere": {
			reason: "Everywhere else.", holds: true, title: "media/photos",
			volume: bound + affinity + "[{matchExpressions: [{key: kubernetes.io/hostname, operator: NotIn, values: [agent-1]}]}]}}}",
		},
		"Network":  {reason: "NFS is reached from everywhere.", volume: bound, holds: true, title: "pvc-1"},
		"Released": {reason: "Its data is about to be deleted.", volume: "metadata: {name: pvc-1}\nspec: {persistentVolumeReclaimPolicy: Delete}\nstatus: {phase: Released}", title: "pvc-1"},
		"Retained": {
			reason: "Somebody wants to keep the data of the claim that is gone.", holds: true, title: "pvc-1",
			volume: "metadata: {name: pvc-1}\nspec: {persistentVolumeReclaimPolicy: Retain}\nstatus: {phase: Released}",
		},
		"Available": {reason: "Nobody has written to it.", volume: "metadata: {name: pvc-1}\nstatus: {phase: Available}", title: "pvc-1"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			content := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.volume), &content); err != nil {
				t.Fatal(err)
			}

			s, err := structpb.NewStruct(content)
			if err != nil {
				t.Fatal(err)
			}

			v, err := Observe(s)
			if err != nil {
				t.Fatal(err)
			}

			if got := v.LivesOn("agent-1", "agent-1.home.arpa"); got != tc.lives {
				t.Errorf("%s\nLivesOn: want %t, got %t", tc.reason, tc.lives, got)
			}

			if got := v.HoldsData(); got != tc.holds {
				t.Errorf("%s\nHoldsData: want %t, got %t", tc.reason, tc.holds, got)
			}

			if got := v.Title(); got != tc.title {
				t.Errorf("%s\nTitle: want %q, got %q", tc.reason, tc.title, got)
			}
		})
	}
}
