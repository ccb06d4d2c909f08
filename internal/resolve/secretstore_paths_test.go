package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestStoredPathOfToken: the token of K3s is a secret of the store as those of files are.
func TestStoredPathOfToken(t *testing.T) {
	cases := map[string]struct {
		reason string
		of     v1alpha1.StoredSecret
		want   []string
	}{
		"Name":  {"As bao kv put takes it.", v1alpha1.StoredSecret{Secret: "k3s/home"}, nil},
		"Mount": {"It is of another engine.", v1alpha1.StoredSecret{Mount: "kv", Secret: "secret/home"}, nil},
		"Printed": {
			"As bao kv get prints it.",
			v1alpha1.StoredSecret{Mount: "kv", Secret: "kv/data/k3s"},
			[]string{"spec.k3s.token.secretStore.secret: begins with kv/, the path of the engine, which the guest writes itself: write k3s, unless the secret is called so."},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := &notes{}
			storedPath(field.NewPath("spec", "k3s", "token", "secretStore"), n, tc.of)

			if diff := cmp.Diff(tc.want, n.warnings); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStorePaths: paths with what the guest writes in front of them itself.
func TestStorePaths(t *testing.T) {
	store := func(mount, secret string) *v1alpha1.SecretStore {
		return &v1alpha1.SecretStore{
			AppRole: &v1alpha1.AppRole{Mount: mount},
			Files:   []v1alpha1.StoredFile{{StoredSecret: v1alpha1.StoredSecret{Secret: secret}}},
		}
	}

	cases := map[string]struct {
		reason string
		store  *v1alpha1.SecretStore
		living bool
		want   []string
	}{
		"Default": {"The mount of every server.", store("", "k3s/home"), false, nil},
		"Names":   {"As the API reference has it.", store("machines/approle", "database/app"), false, nil},
		"Printed": {
			"As bao auth list and bao kv get print them.", store("auth/approle", "data/app"), false,
			[]string{
				"spec.appRole.mount: begins with auth/, which the guest writes itself, so that it logs in at auth/auth/approle: write approle.",
				"spec.files[0].secret: begins with data/, which the guest writes itself for an engine KV of version 2: write app, unless the secret is called so.",
			},
		},
		"Engine": {
			"As the pages of the API have it.", store("", "secret/data/app"), false,
			[]string{"spec.files[0].secret: begins with secret/, the path of the engine, which the guest writes itself: write app, unless the secret is called so."},
		},
		"EngineAlone": {
			"As bao kv get takes it.", store("", "secret/app"), false,
			[]string{"spec.files[0].secret: begins with secret/, the path of the engine, which the guest writes itself: write app, unless the secret is called so."},
		},
		"Token": {
			"Nobody's role is called so, and nobody reads the token in a message.",
			&v1alpha1.SecretStore{AppRole: &v1alpha1.AppRole{RoleID: "hvs.CAESIJ"}}, false,
			[]string{"spec.appRole.roleID: is a token, and no ID of a role, so that no login succeeds: write what bao read auth/approle/role/NAME/role-id prints. " +
				"What is in Git stays there: revoke the token."},
		},
		"Role":        {"It is the ID of a role.", &v1alpha1.SecretStore{AppRole: &v1alpha1.AppRole{RoleID: "59d6d1ca-47bb-4e7e-a40b-8be3bc5a0ba8"}}, false, nil},
		"OtherEngine": {"That is of another engine.", store("", "kv/app"), false, nil},
		"Living":      {"The guest of a VM that exists has fetched.", store("auth/approle", "data/app"), true, nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := &notes{}
			storePaths(field.NewPath("spec"), n, !tc.living, tc.store)

			if diff := cmp.Diff(tc.want, n.warnings); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
