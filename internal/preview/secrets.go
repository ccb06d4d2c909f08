package preview

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// dummy is how every content of a Secret begins that is none.
const dummy = "dummy-for-"

// standIn puts a dummy in place of the content of every Secret of a stage, and of those that the function asks for and that are not there.
func (r Renderer) standIn(ctx context.Context, s *stage) error {
	s.required = slices.Clone(s.required)
	given := s.required[:0]

	for _, o := range s.required {
		switch {
		case o.GetKind() != "Secret":
			given = append(given, o)
		case !isEncrypted(o):
			given = append(given, standInFor(o))
		}
	}

	s.required = given

	return r.standInForMissing(ctx, s)
}

// judgeSecrets has the function judge what the given Secrets hold, and nothing of that turn is shown but its faults: the function says no part of a
// Secret in them. A dummy has no fault that nobody thought of.
func (r Renderer) judgeSecrets(ctx context.Context, s *stage) error {
	if !slices.ContainsFunc(s.required, func(o unstructured.Unstructured) bool { return o.GetKind() == "Secret" && !isEncrypted(o) }) {
		return nil
	}

	given := s.required
	s.required = slices.DeleteFunc(slices.Clone(given), isEncrypted)

	defer func() { s.required = given }()

	composition, err := r.composition(s.composite)
	if err != nil {
		return err
	}

	if _, err = (InProcess{}).Turn(ctx, s.input(composition, false)); err == nil {
		return nil
	}

	// Any other error is for the turn that is shown.
	if fatal := (&FatalError{}); errors.As(err, &fatal) {
		return err
	}

	return nil
}

// isEncrypted says whether a Secret is one that SOPS encrypted: its values are not those that the machine gets.
func isEncrypted(secret unstructured.Unstructured) bool {
	_, ok := secret.Object["sops"]

	return ok
}

// What can be told of a K3s token without a part of it: whether it is one of an existing cluster, whose, and whether it is a bootstrap token.
var (
	fullToken      = regexp.MustCompile(`^K10[0-9a-fA-F]{64}::(.+)$`)
	bootstrapToken = regexp.MustCompile(`^[a-z0-9]{6}\.[a-z0-9]{16}$`)
)

// standInFor a Secret: each of its contents is a dummy of the same kind.
func standInFor(secret unstructured.Unstructured) unstructured.Unstructured {
	out := *secret.DeepCopy()

	contents := map[string]any{}
	for key, value := range contentsOf(secret) {
		contents[key] = dummyFor(secret.GetNamespace(), secret.GetName(), key, value)
	}

	delete(out.Object, "data")
	out.Object["stringData"] = contents

	return out
}

// contentsOf a Secret, by key.
func contentsOf(secret unstructured.Unstructured) map[string]string {
	out := map[string]string{}

	data, _ := secret.Object["data"].(map[string]any)
	for key, value := range data {
		text, _ := value.(string)
		if b, err := base64.StdEncoding.DecodeString(text); err == nil {
			out[key] = string(b)
		}
	}

	// An API server gives stringData precedence.
	text, _ := secret.Object["stringData"].(map[string]any)
	for key, value := range text {
		if value, ok := value.(string); ok {
			out[key] = value
		}
	}

	return out
}

// dummyFor a content: of the same form, so that the function finds the same faults in it, and without a part of it.
func dummyFor(namespace, name, key, value string) string {
	text := dummy + strings.Join([]string{namespace, name, key}, "-")
	form := strings.TrimSpace(value)

	switch m := fullToken.FindStringSubmatch(form); {
	case form == "":
		return value
	case m != nil && bootstrapToken.MatchString(m[1]):
		text = noClusterHash + dummyBootstrapToken
	case m != nil:
		text = noClusterHash + userOf(m[1]) + text
	case bootstrapToken.MatchString(form):
		text = dummyBootstrapToken
	case strings.HasPrefix(form, "K10"):
		text = "K10" + text
	case strings.Contains(form, "<") && strings.Contains(form, ">"):
		text = "<" + text + ">"
	case len(form) < shortToken:
		text = dummy
	}

	if form != value {
		text += "\n"
	}

	return text
}

// IsDummy says whether a text, or the end of a token, is a dummy for a content.
func IsDummy(text string) bool { return strings.HasPrefix(text, dummy) }

// userOf the part of a full token behind the hash, with its colon, as far as it is one that K3s has.
func userOf(credentials string) string {
	switch user, _, ok := strings.Cut(credentials, ":"); {
	case !ok:
		return ""
	case user == "server" || user == "node":
		return user + ":"
	}

	return "other:"
}

const (
	// shortToken is the length below which a token is refused.
	shortToken          = 16
	dummyBootstrapToken = "dummy0.dummydummydummy0"
)

// noClusterHash is the beginning of a full token of no cluster.
const noClusterHash = "K100000000000000000000000000000000000000000000000000000000000000000::"

// standInForMissing does the stage's first turn, in which a dummy answers for each Secret that the function asks for and that is not there, with the keys
// that the claim and the catalogue name; and gives the dummies to the turns after it. Where another engine takes turns, it does the first one again.
func (r Renderer) standInForMissing(ctx context.Context, s *stage) error {
	composition, err := r.composition(s.composite)
	if err != nil {
		return err
	}

	var dummies []unstructured.Unstructured

	in := s.input(composition, r.Full)
	in.Fetch = func(ctx context.Context, q Query) ([]unstructured.Unstructured, error) {
		if s.fetch != nil {
			if found, err := s.fetch(ctx, q); err != nil || len(found) > 0 {
				return found, err
			}
		}

		if q.Kind != "Secret" || q.Name == "" {
			return nil, nil
		}

		dummy := s.missingSecret(q.Namespace, q.Name)
		dummies = append(dummies, dummy)

		return []unstructured.Unstructured{dummy}, nil
	}

	// An error is for the turn that is shown.
	t, err := InProcess{}.Turn(ctx, in)
	if _, same := r.Engine.(InProcess); same && err == nil {
		s.first = &t
	}

	for _, o := range dummies {
		s.required = append(s.required, o)
		s.dummies = append(s.dummies, o.GetNamespace()+"/"+o.GetName())
	}

	return nil
}

// missingSecret is a dummy for a Secret that is not there.
func (s *stage) missingSecret(namespace, name string) unstructured.Unstructured {
	contents := map[string]any{}
	for _, key := range s.keysOf(name) {
		contents[key] = s.missing(namespace, name, key)
	}

	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name, "namespace": namespace}, "stringData": contents,
	}}
}

// missing is a dummy for a content that is not there. The first server of a K3s cluster takes another token than those that join it; of a K3sCluster, all
// take that one.
func (s *stage) missing(namespace, name, key string) string {
	text := dummy + strings.Join([]string{namespace, name, key}, "-")
	if beginsCluster(s.composite) {
		return text
	}

	return noClusterHash + "server:" + text
}

// beginsCluster says whether a composite is the first server of a K3s cluster, or a K3sCluster.
func beginsCluster(composite unstructured.Unstructured) bool {
	first, _, _ := unstructured.NestedBool(composite.Object, "spec", "k3s", "init")

	return first || kindOf(composite) == claim.KindK3sCluster
}

// keysOf a Secret that the claim and the catalogue name in a secretRef.
func (s *stage) keysOf(secret string) []string {
	keys := map[string]bool{}

	collectKeys(s.composite.Object["spec"], secret, keys)

	for _, o := range s.required {
		if o.GetKind() == "EnvironmentConfig" {
			collectKeys(o.Object["data"], secret, keys)
		}
	}

	return slices.Sorted(maps.Keys(keys))
}

// defaultSecretKey is the key of a secretRef that names none.
const defaultSecretKey = "token"

func collectKeys(value any, secret string, keys map[string]bool) {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			collectKeys(v, secret, keys)
		}
	case map[string]any:
		if ref, ok := value["secretRef"].(map[string]any); ok && fmt.Sprint(ref["name"]) == secret {
			key, _ := ref["key"].(string)
			if key == "" {
				key = defaultSecretKey
			}

			keys[key] = true
		}

		for _, v := range value {
			collectKeys(v, secret, keys)
		}
	}
}
