package controlplane

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// A write that somebody tries.
type tried struct {
	reason string
	verb   string // create, update, status, delete or get.
	object string
	edit   string // Of the spec, before an update.
	tenant bool   // Whether a tenant may.
	// refusedBy the policy, and not for want of a right; a tenant has all rights where this is asked.
	policy bool
}

const inTeamB = "apiVersion: homelab.io/v1alpha1, metadata: {name: a, namespace: team-b}"

// tenancyTries has each kind of what rights and policies are about. The platform may all of them.
var tenancyTries = map[string]tried{
	"Claim":         {reason: "Claims are what a tenant writes.", verb: "create", object: "{kind: Machine, " + inTeamB + ", spec: {}}", tenant: true},
	"Edit":          {reason: "And edits, with what Crossplane wrote as it is.", verb: "update", object: "{kind: Machine, " + inTeamB + ", spec: {compositionRef: {name: x}, resourceRef: {name: y}, compositionUpdatePolicy: Automatic}}", edit: "{class: small}", tenant: true},
	"End":           {reason: "And deletes.", verb: "delete", object: "{kind: K3sNode, " + inTeamB + ", spec: {crossplane: {compositionRef: {name: x}}}}", tenant: true},
	"Read":          {reason: "And reads.", verb: "get", object: "{kind: K3sCluster, " + inTeamB + ", spec: {}}", tenant: true},
	"Elsewhere":     {reason: "In no other namespace.", verb: "create", object: "{kind: Machine, apiVersion: homelab.io/v1alpha1, metadata: {name: a, namespace: team-c}, spec: {}}"},
	"Site":          {reason: "The interfaces of nodes are everybody's.", verb: "create", object: "{kind: ProxmoxSite, " + inTeamB + ", spec: {}}"},
	"Status":        {reason: "A status says what a machine had before the rules.", verb: "status", object: "{kind: Container, " + inTeamB + ", spec: {}}"},
	"Composition":   {reason: "Another Composition can have another catalogue.", verb: "create", object: "{kind: Machine, " + inTeamB + ", spec: {compositionRef: {name: x}}}", policy: true},
	"Selector":      {reason: "So can one that is selected.", verb: "create", object: "{kind: Machine, " + inTeamB + ", spec: {compositionSelector: {matchLabels: {a: b}}}}", policy: true},
	"Revision":      {reason: "So can an earlier revision.", verb: "update", object: "{kind: Machine, " + inTeamB + ", spec: {compositionRevisionRef: {name: x}}}", edit: "{compositionRevisionRef: {name: y}}", policy: true},
	"RevisionLabel": {reason: "Or one that is selected.", verb: "create", object: "{kind: Machine, " + inTeamB + ", spec: {compositionRevisionSelector: {matchLabels: {a: b}}}}", policy: true},
	"UpdatePolicy":  {reason: "Or one that stays.", verb: "create", object: "{kind: Machine, " + inTeamB + ", spec: {compositionUpdatePolicy: Manual}}", policy: true},
	"Default":       {reason: "The API server's own value is nobody's choice.", verb: "create", object: "{kind: Machine, " + inTeamB + ", spec: {compositionUpdatePolicy: Automatic}}", tenant: true},
	"Resource":      {reason: "Another composite is another claim's.", verb: "update", object: "{kind: Container, " + inTeamB + ", spec: {resourceRef: {name: x}}}", edit: "{resourceRef: {name: y}}", policy: true},
	"ResourceGoes":  {reason: "Without its composite a claim makes another one.", verb: "update", object: "{kind: Container, " + inTeamB + ", spec: {resourceRef: {name: x}}}", edit: "{resourceRef: null}", policy: true},
	"Namespaced":    {reason: "The same in the namespaced installation.", verb: "create", object: "{kind: K3sCluster, " + inTeamB + ", spec: {crossplane: {compositionRef: {name: x}}}}", policy: true},
	"NamespacedAdd": {reason: "Also later.", verb: "update", object: "{kind: K3sNode, " + inTeamB + ", spec: {}}", edit: "{crossplane: {compositionSelector: {matchLabels: {a: b}}}}", policy: true},
	"Composite":     {reason: "A composite with a claimRef reaches another namespace's Secrets.", verb: "create", object: "{kind: XMachine, apiVersion: homelab.io/v1alpha1, metadata: {name: a}, spec: {claimRef: {namespace: infra, name: a}}}"},
	"Catalogue":     {reason: "Who writes the catalogue decides what all VMs are made of.", verb: "create", object: "{kind: EnvironmentConfig, apiVersion: apiextensions.crossplane.io/v1beta1, metadata: {name: machine-catalog}, spec: {}}"},
	"CatalogueRead": {reason: "Nor does a tenant read it.", verb: "get", object: "{kind: EnvironmentConfig, apiVersion: apiextensions.crossplane.io/v1beta1, metadata: {name: machine-catalog}, spec: {}}"},
	"CatalogueGone": {reason: "Without the catalogue there are no rules.", verb: "delete", object: "{kind: EnvironmentConfig, apiVersion: apiextensions.crossplane.io/v1beta1, metadata: {name: machine-catalog}, spec: {}}"},
	"Provider":      {reason: "A provider configuration of one's own is another token, in the namespace too.", verb: "create", object: "{kind: ProviderConfig, apiVersion: proxmoxbpg.m.crossplane.io/v1beta1, metadata: {name: a, namespace: team-b}, spec: {}}"},
	"Managed":       {reason: "Who writes a managed resource needs no claim.", verb: "create", object: "{kind: EnvironmentVM, apiVersion: virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1, metadata: {name: a, namespace: team-b}, spec: {}}"},
	"ManagedRead":   {reason: "And it has what the provider says.", verb: "get", object: "{kind: EnvironmentVM, apiVersion: virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1, metadata: {name: a, namespace: team-b}, spec: {}}"},
}

// TestTenancyRights has a tenant and the platform try each write on a real API server with install/tenancy.
func TestTenancyRights(t *testing.T) {
	for _, tool := range []string{"etcd", filepath.Join(toolsBin, "kube-apiserver"), filepath.Join(toolsBin, "kube-controller-manager")} {
		if _, err := exec.LookPath(tool); err != nil && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
	}

	dir := filepath.Join(logs, "tenancy")
	held, err := reserve(dir)
	must(t, err)
	t.Cleanup(func() { _ = held.Close() })

	tools, err := filepath.Abs(toolsBin)
	must(t, err)
	folder, err := filepath.Abs(dir)
	must(t, err)

	p, err := plane.StartKubernetes(t.Context(), plane.Config{Dir: folder, Tools: tools})
	must(t, err)
	t.Cleanup(p.Stop)

	admin := p.Client
	prepareTenancy(t, p)

	tenant := as(t, p.REST, "ann", "team-b")
	platform := as(t, p.REST, "bob", "machines-platform")

	// The aggregates have their rules, and the policies are read, a moment after they were written.
	must(t, p.Motion.Until(t.Context(), plane.Ceiling, func(ctx context.Context) (bool, string) {
		o := parsed(t, tenancyTries["Composition"].object)
		err := tenant.Create(ctx, o, client.DryRunAll)

		return err != nil && strings.Contains(err.Error(), "only the platform"), "a tenant's Composition: " + told(err)
	}))
	must(t, p.Motion.Until(t.Context(), plane.Ceiling, func(ctx context.Context) (bool, string) {
		err := platform.Create(ctx, parsed(t, tenancyTries["Catalogue"].object), client.DryRunAll)

		return err == nil, "the platform's catalogue: " + told(err)
	}))

	for name, tc := range tenancyTries {
		t.Run(name, func(t *testing.T) {
			err := tc.by(t, admin, tenant)
			if tc.tenant != (err == nil) {
				t.Errorf("%s A tenant's %s ends with %v", tc.reason, tc.verb, err)
			}

			if err != nil && (!apierrors.IsForbidden(err) || tc.policy != strings.Contains(err.Error(), "only the platform")) {
				t.Errorf("%s It is refused for another reason: %v", tc.reason, err)
			}

			if err := tc.by(t, admin, platform); err != nil {
				t.Errorf("%s The platform's %s ends with %v", tc.reason, tc.verb, err)
			}
		})
	}

	deletions(t, p)

	// The policies hold for who has more rights than the roles of install/tenancy, too.
	must(t, create(t.Context(), admin, "{kind: ClusterRoleBinding, apiVersion: rbac.authorization.k8s.io/v1, metadata: {name: all}, "+
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: too-much}]}"))

	mighty := as(t, p.REST, "eve", "too-much")

	for _, name := range []string{"Catalogue", "CatalogueGone", "Provider", "Composite", "Status"} {
		if err := tenancyTries[name].by(t, admin, mighty); err == nil || !strings.Contains(err.Error(), "only the platform") {
			t.Errorf("%s by an administrator of the cluster who is not of the platform: %v", name, err)
		}
	}
}

// by somebody: what is edited, deleted or read is there before, and nothing is there afterwards.
func (w tried) by(t *testing.T, admin, somebody client.Client) error {
	t.Helper()

	ctx, o := t.Context(), parsed(t, w.object)

	defer func() { must(t, client.IgnoreNotFound(admin.Delete(ctx, parsed(t, w.object)))) }()

	if w.verb == "create" {
		return somebody.Create(ctx, o)
	}

	must(t, admin.Create(ctx, o))

	switch w.verb {
	case "get":
		return somebody.Get(ctx, client.ObjectKeyFromObject(o), o)
	case "delete":
		return somebody.Delete(ctx, o)
	case "status":
		o.Object["status"] = map[string]any{"appliedSpec": map[string]any{"class": "large"}}

		return somebody.Status().Update(ctx, o)
	}

	spec, _ := o.Object["spec"].(map[string]any)
	for name, v := range parsed(t, "{spec: "+w.edit+"}").Object["spec"].(map[string]any) {
		if spec[name] = v; v == nil {
			delete(spec, name)
		}
	}

	return somebody.Update(ctx, o)
}

func told(err error) string {
	if err == nil {
		return "no error"
	}

	return err.Error()
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()

	o := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(text), &o.Object))

	return o
}

// as a user of a group.
func as(t *testing.T, config *rest.Config, user, group string) client.Client {
	t.Helper()

	theirs := rest.CopyConfig(config)
	theirs.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{group, "system:authenticated"}}

	out, err := client.New(theirs, client.Options{})
	must(t, err)

	return out
}

func create(ctx context.Context, c client.Client, text string) error {
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		return err
	}

	return c.Create(ctx, o)
}

// prepareTenancy defines the kinds, without their schemas, which rights and policies do not read, and applies install/tenancy as its README does.
func prepareTenancy(t *testing.T, p *plane.Plane) {
	t.Helper()

	ctx := t.Context()
	kinds := [][4]string{
		{"apiextensions.crossplane.io", "v1beta1", "EnvironmentConfig", "Cluster"},
		{"proxmoxbpg.m.crossplane.io", "v1beta1", "ProviderConfig", "Namespaced"},
		{"virtualenvironmentvm.proxmoxbpg.m.crossplane.io", "v1alpha1", "EnvironmentVM", "Namespaced"},
	}

	for _, kind := range []string{"Machine", "K3sNode", "K3sCluster", "Container", "ProxmoxSite"} {
		kinds = append(kinds, [4]string{"homelab.io", "v1alpha1", kind, "Namespaced"}, [4]string{"homelab.io", "v1alpha1", "X" + kind, "Cluster"})
	}

	for _, k := range kinds {
		singular := strings.ToLower(k[2])
		must(t, create(ctx, p.Client, "{kind: CustomResourceDefinition, apiVersion: apiextensions.k8s.io/v1, metadata: {name: "+singular+"s."+k[0]+"}, spec: {group: "+k[0]+", scope: "+k[3]+
			", names: {kind: "+k[2]+", plural: "+singular+"s, singular: "+singular+"}, versions: [{name: "+k[1]+", served: true, storage: true, subresources: {status: {}}, "+
			"schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}, status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}]}}"))
	}

	for _, namespace := range []string{"team-b", "team-c"} {
		must(t, create(ctx, p.Client, "{kind: Namespace, apiVersion: v1, metadata: {name: "+namespace+"}}"))
	}

	objects, err := manifests("install/tenancy/rbac.yaml", "install/tenancy/admission.yaml")
	must(t, err)

	for _, o := range objects {
		must(t, p.Client.Create(ctx, o))
	}

	const role = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "
	must(t, create(ctx, p.Client, "{kind: RoleBinding, apiVersion: rbac.authorization.k8s.io/v1, metadata: {name: machines-tenant, namespace: team-b}, "+role+"machines-tenant}, "+
		"subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: team-b}]}"))
	must(t, create(ctx, p.Client, "{kind: ClusterRoleBinding, apiVersion: rbac.authorization.k8s.io/v1, metadata: {name: machines-platform}, "+role+"machines-platform}, "+
		"subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: machines-platform}]}"))

	// Who asks for a kind before it is served is told that there is no such kind.
	for _, k := range kinds {
		must(t, p.Motion.Until(ctx, plane.Ceiling, func(ctx context.Context) (bool, string) {
			list := &unstructured.UnstructuredList{}
			list.SetAPIVersion(k[0] + "/" + k[1])
			list.SetKind(k[2] + "List")
			err := p.Client.List(ctx, list)

			return err == nil || !meta.IsNoMatchError(err) && !apierrors.IsNotFound(err), k[2] + ": " + told(err)
		}))
	}
}
