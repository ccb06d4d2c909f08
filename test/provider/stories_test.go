package provider

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A story is a folder with claims, a catalogue and Secrets, like those of example/.
type story struct {
	name     string
	claims   []unstructured.Unstructured
	required []unstructured.Unstructured
}

// stories are all examples, and one for what they do not show. A new example is among them without being listed here.
func stories(t *testing.T) []story {
	t.Helper()

	folders, err := filepath.Glob(filepath.Join(repository, "example", "*"))
	if err != nil {
		t.Fatal(err)
	}

	var out []story

	for _, f := range append(folders, filepath.Join("testdata", "stories", "variety")) {
		if s := readStory(t, f); len(s.claims) > 0 {
			out = append(out, s)
		}
	}

	return out
}

func readStory(t *testing.T, folder string) story {
	t.Helper()

	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	s := story{name: filepath.Base(folder)}

	for _, file := range files {
		objects, err := ReadObjects(file)
		if err != nil {
			t.Fatal(err)
		}

		for _, o := range objects {
			switch {
			case o.GetKind() == "K3sCluster":
				// It has no managed resources: the provider sees its K3sNodes, which are as those of the other examples.
			case o.GetKind() == KindContainerClaim, o.GetKind() == "ProxmoxSite":
				// The simulator has no containers, and changes no network: TestContainer and TestSite have.
			case strings.HasPrefix(o.GetAPIVersion(), "homelab.io/"):
				s.claims = append(s.claims, o)
			default:
				s.required = append(s.required, o)
			}
		}
	}

	return s
}

// nodes are resources that name every node of the story's claims and catalogue.
func (s story) nodes() []Resource {
	names := map[string]bool{}

	for _, claim := range s.claims {
		if n, _, _ := unstructured.NestedString(claim.Object, "spec", "proxmox", "node"); n != "" {
			names[n] = true
		}
	}

	for _, o := range s.required {
		sites, _, _ := unstructured.NestedMap(o.Object, "data", "sites")
		for name := range sites {
			nodes, _, _ := unstructured.NestedMap(sites, name, "nodes")
			for n := range nodes {
				names[n] = true
			}
		}
	}

	out := make([]Resource, 0, len(names))
	for _, n := range slices.Sorted(maps.Keys(names)) {
		out = append(out, onNode(n))
	}

	return out
}

// onNode is a resource that says no more than where it is.
func onNode(name string) Resource {
	return Resource{Kind: KindVM, Spec: Spec{ForProvider: map[string]any{"nodeName": name}}}
}

// clusters are what the hosts of the stories hold before their first claim, as their texts say.
func clusters() map[string]Cluster {
	return map[string]Cluster{
		"appliance": {Volumes: []string{"local:import/haos_ova-14.2.qcow2"}},
		"homelab-k3s": {
			Volumes: []string{
				"local:snippets/k3s-server-fun-bedbug.yaml", "local:snippets/k3s-server-pve.yaml", "local:snippets/k3s-server-still-fawn.yaml",
			},
			ImagesOnLocal: true,
		},
		"k3s-cluster":  {Volumes: []string{"local:snippets/k3s-token.yaml"}},
		"secrets":      {Volumes: []string{"local:snippets/agent-3-secret-id.yaml", "local:snippets/app01-secret-id.yaml", "local:snippets/app02-identity.yaml"}},
		"nixos":        {Templates: map[int]Template{9000: template("pve")}},
		"plain-debian": {},
		"variety": {
			Volumes:   []string{"local:import/debian-13.qcow2", "local:iso/nixos-minimal-25.05.iso"},
			Templates: map[int]Template{9000: template("pve"), 9001: uefiTemplate("pve")},
			Pools:     []string{"infra"},
		},
	}
}
