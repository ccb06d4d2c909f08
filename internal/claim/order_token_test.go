package claim

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestFollowsToken: a token that is there in another form, or under another name, is not missing as well.
func TestFollowsToken(t *testing.T) {
	missing := field.Required(field.NewPath("spec", "token"), "the nodes that join need a token")
	ofNode := field.Required(field.NewPath("spec", "k3s", "token"), "write token: {secretRef: ...}")

	cases := map[string]struct {
		reason string
		fault  *field.Error
		want   bool
	}{
		"Text":    {"The token itself in place of where it is.", field.Invalid(field.NewPath("spec", "joinToken"), "", "must be an object with fields: such as {secretRef: ...}"), true},
		"Below":   {"The Secret has no name.", field.Required(field.NewPath("spec", "joinToken", "secretRef", "name"), "must be a name"), true},
		"Spelled": {"Another spelling of it.", field.Forbidden(field.NewPath("spec", "jointoken"), "unknown field; did you mean spec.joinToken?"), true},
		"Foreign": {"As another tool calls it.", field.Forbidden(field.NewPath("spec", "k3sToken"), "unknown field: write ..."), true},
		"Other":   {"Another field says nothing of the token.", field.Forbidden(field.NewPath("spec", "klass"), "unknown field; did you mean spec.class?"), false},
		"Proxmox": {"The token of Proxmox is none of K3s.", field.Forbidden(field.NewPath("spec", "proxmox", "token"), "unknown field: a claim has no credentials"), false},
		"Version": {"A faulty version is none, either.", field.Invalid(field.NewPath("spec", "version"), "1", "must be one release"), false},
		"InK3s":   {"Where a K3sNode has it.", field.Forbidden(field.NewPath("spec", "k3s", "token"), "unknown field: write ..."), true},
		"Config":  {"In the configuration of K3s.", field.Forbidden(field.NewPath("spec", "config").Key("token"), "secrets are not written into the configuration; set spec.token"), true},
		"Secret":  {"The Secret alone.", field.Forbidden(field.NewPath("spec", "secretRef"), "unknown field: write token: {secretRef: {name: k3s-token}}"), true},
		"Api":     {"The token of Proxmox's API.", field.Forbidden(field.NewPath("spec", "proxmox", "apiToken"), "unknown field: a claim has no credentials"), false},
		"Itself":  {"It does not follow from itself.", missing, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, missing := range []*field.Error{missing, ofNode} {
				fault := tc.fault
				if name == "Itself" {
					fault = missing
				}

				if got := Follows(field.ErrorList{fault, missing}, missing); got != tc.want {
					t.Errorf("%s\ngot %t for %s", tc.reason, got, missing.Field)
				}
			}
		})
	}
}
