package object

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// The Plan of system-upgrade-controller. Facts about it are from the controller's source (pkg/upgrade/plan/plan.go, pkg/upgrade/job/job.go,
// pkg/upgrade/handle_batch.go), and from rancher/k3s-upgrade (scripts/upgrade.sh), whose image the Jobs of a Plan run.
const (
	PlanAPIVersion = "upgrade.cattle.io/v1"
	PlanKind       = "Plan"
	// PlanManifests is the folder of crd.yaml and system-upgrade-controller.yaml: https://docs.k3s.io/upgrades/automated.
	PlanManifests = "https://github.com/rancher/system-upgrade-controller/releases/latest/download"
)

// Defaults of the controller's own manifests.
const (
	DefaultUpgradeNamespace      = "system-upgrade"
	DefaultUpgradeServiceAccount = "system-upgrade"
	DefaultUpgradeImage          = "rancher/k3s-upgrade"
)

// Labels of Nodes by which Plans choose them.
const (
	hostnameLabel     = "kubernetes.io/hostname"
	controlPlaneLabel = "node-role.kubernetes.io/control-plane"
	// OptOutLabel keeps a Node from upgrades: disabled or false, as in the controller's own examples.
	OptOutLabel = "k3s-upgrade"
)

// planPrefix begins the composed resource names of the Objects of Plans. The nodes' role follows.
const planPrefix = "upgrade-plan-"

// NodePlan is the composed resource name of the Object of a Plan for the machine's own Node.
const NodePlan = planPrefix + "node"

// PlanName is the composed resource name of the Object of a Plan, by a word for its nodes.
func PlanName(nodes string) string { return planPrefix + nodes }

// IsPlan says whether a composed resource is an Object of a Plan of ours.
func IsPlan(name string, o *structpb.Struct) bool {
	return strings.HasPrefix(name, planPrefix) && proxmox.KindOf(o) == Kind
}

// A Plan is how system-upgrade-controller is to upgrade nodes, as it is written.
type Plan struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Metadata   PlanMetadata `json:"metadata"`
	Spec       PlanSpec     `json:"spec"`
}

// PlanMetadata of a [Plan].
type PlanMetadata struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// A PlanSpec of a [Plan].
type PlanSpec struct {
	Concurrency           int64          `json:"concurrency"`
	Cordon                bool           `json:"cordon"`
	Drain                 *PlanDrain     `json:"drain,omitempty"`
	JobActiveDeadlineSecs int64          `json:"jobActiveDeadlineSecs,omitempty"`
	NodeSelector          LabelSelector  `json:"nodeSelector"`
	Prepare               *PlanContainer `json:"prepare,omitempty"`
	ServiceAccountName    string         `json:"serviceAccountName"`
	// Tolerations of all taints: a node is upgraded whatever keeps Pods from it.
	Tolerations []AnyToleration `json:"tolerations"`
	Upgrade     PlanContainer   `json:"upgrade"`
	Version     string          `json:"version"`
	Window      *PlanWindow     `json:"window,omitempty"`
}

// A PlanDrain evicts the Pods of a Node before its upgrade.
type PlanDrain struct {
	DeleteEmptydirData bool   `json:"deleteEmptydirData"`
	IgnoreDaemonSets   bool   `json:"ignoreDaemonSets"`
	Timeout            string `json:"timeout"`
	// SkipWaitForDeleteTimeout in seconds: a Pod that is being deleted for longer is not waited for.
	SkipWaitForDeleteTimeout int64 `json:"skipWaitForDeleteTimeout"`
}

// A PlanContainer of a [Plan]'s Jobs. The controller adds the release as the tag of an image without one.
type PlanContainer struct {
	Image string   `json:"image"`
	Args  []string `json:"args,omitempty"`
}

// A LabelSelector chooses Nodes.
type LabelSelector struct {
	MatchExpressions []NodeSelectorRequirement `json:"matchExpressions"`
}

// An AnyToleration tolerates whatever its operator says.
type AnyToleration struct {
	Operator string `json:"operator"`
}

// A PlanWindow is when Jobs may begin.
type PlanWindow struct {
	Days      []string `json:"days"`
	StartTime string   `json:"startTime"`
	EndTime   string   `json:"endTime"`
	TimeZone  string   `json:"timeZone"`
}

// An Upgrade of some nodes, for a [Plan].
type Upgrade struct {
	// Name of the Plan.
	Name string
	// Agents says that the nodes are agents.
	Agents bool
	// Servers is the name of the servers' Plan, for which agents wait; empty where they wait for none.
	Servers string
	// Nodes that are to be upgraded now, by the names of their Kubernetes Nodes, sorted. None: the Plan upgrades nobody.
	Nodes   []string
	Version string
	// Concurrency is how many nodes may be upgraded at once.
	Concurrency int64
	// DrainMinutes is how long a drain may take. 0: nodes are cordoned, and not drained.
	DrainMinutes int64
	Window       *PlanWindow

	Namespace, ServiceAccount, Image string // Empty: the defaults.
}

// drainSlackSeconds is what a Job has beyond its drain, to pull its images and to upgrade: the controller's own default for all of it
// (defaultActiveDeadlineSeconds).
const drainSlackSeconds = 600

// planResting is true while the Plan's controller upgrades no node. The provider polls the Object every 30 s until then.
const planResting = `!has(object.status) || !has(object.status.applying) || size(object.status.applying) == 0`

// NewPlan is the Object of a Plan. Without mayDelete, the Plan stays in its cluster when the Object goes.
func NewPlan(f Flavour, providerConfig string, u Upgrade, mayDelete bool, m proxmox.Metadata) Of[Plan] {
	o := of(f, providerConfig, planOf(u), m)
	o.Spec.Readiness, o.Spec.Watch = &Readiness{Policy: "DeriveFromCelQuery", CelQuery: planResting}, true

	o.Spec.ManagementPolicies = PlanPolicies(mayDelete)

	return o
}

// PlanPolicies are the management policies of an Object of a Plan.
func PlanPolicies(mayDelete bool) []string {
	out := []string{"Observe", "Create", "Update"}
	if mayDelete {
		out = append(out, "Delete")
	}

	return out
}

func planOf(u Upgrade) Plan {
	image := cmp.Or(u.Image, DefaultUpgradeImage)
	spec := PlanSpec{
		Concurrency: max(1, u.Concurrency), Cordon: true, NodeSelector: LabelSelector{choose(u)},
		ServiceAccountName: cmp.Or(u.ServiceAccount, DefaultUpgradeServiceAccount),
		Tolerations:        []AnyToleration{{"Exists"}}, Upgrade: PlanContainer{Image: image}, Version: u.Version, Window: u.Window,
	}

	if u.DrainMinutes > 0 {
		spec.Drain = &PlanDrain{
			DeleteEmptydirData: true, IgnoreDaemonSets: true, Timeout: minutes(u.DrainMinutes), SkipWaitForDeleteTimeout: silentSeconds,
		}
		spec.JobActiveDeadlineSecs = u.DrainMinutes*60 + drainSlackSeconds
	}

	if u.Servers != "" {
		spec.Prepare = &PlanContainer{Image: image, Args: []string{"prepare", u.Servers}}
	}

	return Plan{
		APIVersion: PlanAPIVersion, Kind: PlanKind, Spec: spec,
		Metadata: PlanMetadata{
			Name: u.Name, Namespace: cmp.Or(u.Namespace, DefaultUpgradeNamespace),
			Labels: map[string]string{"app.kubernetes.io/managed-by": "function-proxmox-machine"},
		},
	}
}

// choose the Nodes of an upgrade, by name. The controller asks every Node for the label with its name, so that a Node without it is none.
func choose(u Upgrade) []NodeSelectorRequirement {
	names := NodeSelectorRequirement{Key: hostnameLabel, Operator: "In", Values: u.Nodes}
	if len(u.Nodes) == 0 {
		names = NodeSelectorRequirement{Key: hostnameLabel, Operator: "DoesNotExist"}
	}

	role := NodeSelectorRequirement{Key: controlPlaneLabel, Operator: "In", Values: []string{"true"}}
	if u.Agents {
		role = NodeSelectorRequirement{Key: controlPlaneLabel, Operator: "NotIn", Values: []string{"true"}}
	}

	return []NodeSelectorRequirement{names, role, {Key: OptOutLabel, Operator: "NotIn", Values: []string{"disabled", "false"}}}
}

// ObservedPlan is an Object of a Plan as it was found.
type ObservedPlan struct{ Found[Plan, SeenPlan] }

// A SeenPlan is what counts of a Plan as the provider read it last.
type SeenPlan struct {
	Metadata Name `json:"metadata"`
	Spec     struct {
		Window *struct{} `json:"window"`
	} `json:"spec"`
	Status struct {
		// Applying are the Nodes that the controller upgrades now.
		Applying []string `json:"applying"`
	} `json:"status"`
}

// MayDelete says whether the Plan goes with the Object.
func (o ObservedPlan) MayDelete() bool { return slices.Contains(o.Spec.ManagementPolicies, "Delete") }

// Name that the Plan was written with last.
func (o ObservedPlan) Name() string { return o.Spec.ForProvider.Manifest.Metadata.Name }

// Version that the Plan was written with last.
func (o ObservedPlan) Version() string { return o.Spec.ForProvider.Manifest.Spec.Version }

// Nodes that the Plan was written for last.
func (o ObservedPlan) Nodes() []string {
	for _, r := range o.Spec.ForProvider.Manifest.Spec.NodeSelector.MatchExpressions {
		if r.Key == hostnameLabel {
			return r.Values
		}
	}

	return nil
}

// Applying are the Nodes that the controller upgraded when the provider read the Plan last.
func (o ObservedPlan) Applying() []string { return o.Status.AtProvider.Manifest.Status.Applying }

// HasWindow says whether the Plan in the cluster has a window. Without server-side apply, the provider writes Plans by a merge, which
// removes no field.
func (o ObservedPlan) HasWindow() bool { return o.Status.AtProvider.Manifest.Spec.Window != nil }

// SightNoPlans is that of a cluster which has no kind Plan: it comes with system-upgrade-controller.
const SightNoPlans Sight = "NoPlans"

// Sees says whether the Plan is in its cluster as it was written last; why not otherwise.
func (o ObservedPlan) Sees() Sight {
	synced := o.Status.Conditions.Of(proxmox.ConditionSynced)

	switch {
	case synced.IsFalse() && noPlans(synced.Message):
		return SightNoPlans
	case synced.IsFalse() && strings.Contains(synced.Message, "namespaces ") && strings.Contains(synced.Message, "not found"):
		return SightNoNamespace
	case synced.IsFalse():
		// A Plan that does not exist is about to be created.
		if sight := sightOf(synced.Message); sight != SightClear {
			return sight
		}

		return SightPending
	case synced.Status == "", !synced.IsAbout(o.Metadata.Generation), o.Status.AtProvider.Manifest.Metadata.Name == "":
		return SightPending
	}

	return SightClear
}

// noPlans says whether an error is that of an API server without the kind (k8s.io/apimachinery/pkg/api/meta/errors.go, and the answer of an
// API server to a path that it does not serve).
func noPlans(message string) bool {
	return slices.ContainsFunc([]string{"no matches for kind", "could not find the requested resource", "failed to get API group resources"},
		func(text string) bool { return strings.Contains(message, text) })
}

// minutes as kubectl reads a duration.
func minutes(n int64) string { return strconv.FormatInt(n, 10) + "m" }
