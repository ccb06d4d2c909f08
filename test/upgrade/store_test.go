package upgrade

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// The store of a release is a folder of calls: what the function was sent, and what that release answered.
//
//	testdata/v0.1.0/checksums.txt             every other file of the release
//	testdata/v0.1.0/cluster/NAME/first.yaml   a call, see storedCall
//	testdata/v0.1.0/shared/...                its Kubernetes objects and texts, which many calls have in common
//
// Nothing in it is ever changed: a new release gets a folder of its own.
const (
	storeDir     = "testdata"
	sharedDir    = "shared"
	checksumFile = "checksums.txt"
)

// A storedCall is one file of a store.
type storedCall struct {
	// Request is the whole RunFunctionRequest, in protobuf's JSON.
	Request map[string]any `json:"request"`
	Answer  storedAnswer   `json:"answer"`
}

// A storedAnswer is what a release rendered. Conditions and results are texts for people, and not kept.
type storedAnswer struct {
	// Fatal says that nothing was rendered, so that Crossplane left all as it was.
	Fatal bool `json:"fatal,omitempty"`
	// Ready is the composite's own readiness, where the function said it.
	Ready     string                    `json:"ready,omitempty"`
	Status    map[string]any            `json:"status,omitempty"`
	Resources map[string]storedResource `json:"resources,omitempty"`
}

// A storedResource is one desired composed resource.
type storedResource struct {
	Ready    string         `json:"ready"`
	Manifest map[string]any `json:"manifest"`
}

// answerOf a response.
func answerOf(rsp *fnv1.RunFunctionResponse) storedAnswer {
	if world.Fatal(rsp) != "" {
		return storedAnswer{Fatal: true}
	}

	c := rsp.GetDesired().GetComposite()
	out := storedAnswer{Status: world.Object(c.GetResource().AsMap()["status"]), Resources: map[string]storedResource{}}

	if c.GetReady() != fnv1.Ready_READY_UNSPECIFIED {
		out.Ready = c.GetReady().String()
	}

	for name, r := range rsp.GetDesired().GetResources() {
		out.Resources[name] = storedResource{Ready: r.GetReady().String(), Manifest: r.GetResource().AsMap()}
	}

	return out
}

// A storeWriter writes the store of a release into memory first, so that one which cannot be written is not begun.
type storeWriter struct{ files map[string][]byte }

// put a call into the store. Kubernetes objects and long texts are put into files of their own, named by what is in them.
func (s *storeWriter) put(t *testing.T, path string, req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	t.Helper()

	b, err := protojson.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}

	call := storedCall{Answer: answerOf(rsp)}
	if err := json.Unmarshal(b, &call.Request); err != nil {
		t.Fatal(err)
	}

	if _, there := s.files[path]; there {
		t.Fatalf("two calls are stored as %s", path)
	}

	s.files[path] = asYAML(t, s.withoutObjects(t, world.Copy(call), true))
}

// sharedPrefix begins the text that stands in a call for a file.
const sharedPrefix = "@" + sharedDir + "/"

// share puts a file into the store and returns what stands for it.
func (s *storeWriter) share(t *testing.T, stem, suffix string, content []byte) string {
	t.Helper()

	name := fmt.Sprintf("%s-%s%s", stem, digest(content)[:10], suffix)
	s.files[sharedDir+"/"+name] = content

	return sharedPrefix + name
}

// withoutObjects replaces Kubernetes objects and long texts by references. What is inside of an object stays there, but for
// texts.
func (s *storeWriter) withoutObjects(t *testing.T, v any, objects bool) any {
	t.Helper()

	switch v := v.(type) {
	case string:
		if strings.Count(v, "\n") > 3 {
			return s.share(t, "text", ".txt", []byte(v))
		}
	case []any:
		for i := range v {
			v[i] = s.withoutObjects(t, v[i], objects)
		}
	case map[string]any:
		kind, ok := v["kind"].(string)
		isObject := objects && ok && v["apiVersion"] != nil && v["metadata"] != nil && !isMachine(kind)

		for k := range v {
			v[k] = s.withoutObjects(t, v[k], objects && !isObject)
		}

		if isObject {
			return s.share(t, kind, ".yaml", asYAML(t, v))
		}
	}

	return v
}

// isMachine says whether an object is the composite, which no two calls share.
func isMachine(kind string) bool {
	return slices.Contains([]string{"Machine", "K3sNode"}, strings.TrimPrefix(kind, "X"))
}

// write the store of a release into a folder that is not there yet.
func (s *storeWriter) write(t *testing.T, dir string) {
	t.Helper()

	if _, err := os.Stat(dir); err == nil {
		t.Fatalf("%s is there already: what a release answered does not change any more", dir)
	}

	var sums strings.Builder

	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(file, s.files[name], 0o644); err != nil {
			t.Fatal(err)
		}

		fmt.Fprintf(&sums, "%s  %s\n", digest(s.files[name]), name)
	}

	if err := os.WriteFile(filepath.Join(dir, checksumFile), []byte(sums.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func asYAML(t *testing.T, v any) []byte {
	t.Helper()

	b, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}

	return b
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()

	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}

	return b
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)

	return hex.EncodeToString(sum[:10])
}
