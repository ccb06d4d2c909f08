package object

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// DrainNamespace is where the Jobs run, and the name of their ServiceAccount: install/drain creates both.
const DrainNamespace = "node-drain"

// NodeLabel has the name of the Node, on a Job and on its pods.
const NodeLabel = "homelab.io/node"

// Defaults of a drain.
const (
	// DefaultDrainImage has kubectl as its program, for all platforms (kubernetes, build/server-image/kubectl/Dockerfile).
	DefaultDrainImage = "registry.k8s.io/kubectl:v1.34.1"
	// DefaultDrainMinutes is how long a drain may take.
	DefaultDrainMinutes = 10
)

const (
	// startSeconds is what a Job has beyond its own time, to pull its image and to start.
	startSeconds = 120
	// uncordonSeconds is how long an uncordon may take.
	uncordonSeconds = 120
	// silentSeconds is after how long a drain no longer waits for a pod that is being deleted: its kubelet may be down.
	silentSeconds = 120
	// tries that follow a failed one.
	tries = 2
	// keptSeconds is how long a Job that has ended stays, with its log. Kubernetes deletes it then, with its pods: provider-kubernetes
	// v1.2.1 deletes a Job without its pods (external.Delete in internal/controller/cluster/object/object.go gives no propagation policy, and
	// Kubernetes' default for Jobs is to orphan them).
	keptSeconds = 24 * 60 * 60
	// nobody is the user of the Job's container.
	nobody = 65534
)

// A Task is what a Job does to a Node.
type Task string

// The tasks, as composed resource names begin with them.
const (
	// TaskDrain cordons a Node and evicts its pods.
	TaskDrain Task = "drain"
	// TaskUncordon lets pods onto a Node again.
	TaskUncordon Task = "uncordon"
)

// JobName is the composed resource name of a Job's Object: the task, the VM's composed resource name, and the attempt.
func JobName(t Task, vm string, attempt int) string {
	return string(t) + "-" + vm + "-" + strconv.Itoa(attempt)
}

// IsJob says whether a composed resource is an Object of a Job of ours.
func IsJob(name string, o *structpb.Struct) bool {
	return (strings.HasPrefix(name, string(TaskDrain)+"-vm") || strings.HasPrefix(name, string(TaskUncordon)+"-vm")) && proxmox.KindOf(o) == Kind
}

// A Job that works on a Node, as it is written.
type Job struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Metadata   JobMetadata `json:"metadata"`
	Spec       JobSpec     `json:"spec"`
}

// JobMetadata of a [Job].
type JobMetadata struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels"`
}

// A JobSpec of a [Job].
type JobSpec struct {
	ActiveDeadlineSeconds   int64       `json:"activeDeadlineSeconds"`
	BackoffLimit            int64       `json:"backoffLimit"`
	TTLSecondsAfterFinished int64       `json:"ttlSecondsAfterFinished"`
	Template                PodTemplate `json:"template"`
}

// A PodTemplate of a [Job].
type PodTemplate struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec PodSpec `json:"spec"`
}

// A PodSpec of a [Job].
type PodSpec struct {
	ServiceAccountName string             `json:"serviceAccountName"`
	RestartPolicy      string             `json:"restartPolicy"`
	Affinity           *Affinity          `json:"affinity,omitempty"`
	Tolerations        []Toleration       `json:"tolerations"`
	SecurityContext    PodSecurityContext `json:"securityContext"`
	InitContainers     []Container        `json:"initContainers"`
	Containers         []Container        `json:"containers"`
}

// An Affinity to all nodes but one.
type Affinity struct {
	NodeAffinity struct {
		Required struct {
			Terms []NodeSelectorTerm `json:"nodeSelectorTerms"`
		} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
	} `json:"nodeAffinity"`
}

// A NodeSelectorTerm of an [Affinity].
type NodeSelectorTerm struct {
	MatchFields []NodeSelectorRequirement `json:"matchFields"`
}

// A NodeSelectorRequirement of a [NodeSelectorTerm].
type NodeSelectorRequirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// A Toleration of a taint.
type Toleration struct {
	Key      string `json:"key"`
	Operator string `json:"operator"`
}

// A PodSecurityContext as the Pod Security Standard restricted asks for it.
type PodSecurityContext struct {
	RunAsNonRoot   bool           `json:"runAsNonRoot"`
	RunAsUser      int64          `json:"runAsUser"`
	SeccompProfile SeccompProfile `json:"seccompProfile"`
}

// A SeccompProfile of a pod.
type SeccompProfile struct {
	Type string `json:"type"`
}

// A Container of a [Job].
type Container struct {
	Name            string          `json:"name"`
	Image           string          `json:"image"`
	Command         []string        `json:"command"`
	Resources       Resources       `json:"resources"`
	SecurityContext SecurityContext `json:"securityContext"`
}

// Resources of a [Container].
type Resources struct {
	Requests map[string]string `json:"requests"`
	Limits   map[string]string `json:"limits"`
}

// A SecurityContext as the Pod Security Standard restricted asks for it.
type SecurityContext struct {
	AllowPrivilegeEscalation bool         `json:"allowPrivilegeEscalation"`
	ReadOnlyRootFilesystem   bool         `json:"readOnlyRootFilesystem"`
	Capabilities             Capabilities `json:"capabilities"`
}

// Capabilities of a [Container].
type Capabilities struct {
	Drop []string `json:"drop"`
}

// An Identity is what a Node is known by, beside its name, which another machine can get.
type Identity struct {
	Path  string // In the Node, as kubectl's JSONPath.
	Value string
}

// BySystemUUID is the identity of a Node by its system UUID, as its kubelet reported it.
func BySystemUUID(uuid string) Identity { return Identity{"{.status.nodeInfo.systemUUID}", uuid} }

// ByLabel is the identity of a Node by its label [node.UIDLabel].
func ByLabel(uid string) Identity {
	return Identity{`{.metadata.labels.` + strings.ReplaceAll(node.UIDLabel, ".", `\.`) + `}`, uid}
}

// A Work is what a Job is to do.
type Work struct {
	Task Task
	Node string
	// Identity of the Node, which has to be so when the Job begins.
	Identity Identity
	// Key is in the Job's name: no other Job of the Node has it.
	Key   string
	Image string // Empty: [DefaultDrainImage].
	// Minutes that the drain may take. 0: [DefaultDrainMinutes].
	Minutes int64
}

// jobEnded is true when the Job has succeeded or failed. The provider polls the Object every 30 s until then.
const jobEnded = `has(object.status) && has(object.status.conditions) && ` +
	`object.status.conditions.exists(c, (c.type == "Complete" || c.type == "Failed") && c.status == "True")`

// NewJob is the Object of a Job. The provider creates the Job, and neither changes nor deletes it.
func NewJob(f Flavour, providerConfig string, w Work, m proxmox.Metadata) Of[Job] {
	o := of(f, providerConfig, jobOf(w), m)
	o.Spec.ManagementPolicies = proxmox.CreatePolicies()
	o.Spec.Readiness = &Readiness{Policy: "DeriveFromCelQuery", CelQuery: jobEnded}

	return o
}

func jobOf(w Work) Job {
	minutes := w.Minutes
	if minutes == 0 {
		minutes = DefaultDrainMinutes
	}

	seconds, command := minutes*60, []string{
		"drain", w.Node, "--ignore-daemonsets", "--delete-emptydir-data",
		fmt.Sprintf("--timeout=%ds", minutes*60), "--skip-wait-for-delete-timeout=" + strconv.Itoa(silentSeconds),
	}

	if w.Task == TaskUncordon {
		seconds, command = uncordonSeconds, []string{"uncordon", w.Node}
	}

	image := w.Image
	if image == "" {
		image = DefaultDrainImage
	}

	labels := map[string]string{"app.kubernetes.io/name": DrainNamespace, NodeLabel: w.Node}

	out := Job{
		APIVersion: "batch/v1", Kind: "Job",
		Metadata: JobMetadata{
			Name: string(w.Task) + "-" + w.Key, Namespace: DrainNamespace,
			Labels: labels,
		},
		Spec: JobSpec{
			ActiveDeadlineSeconds: seconds + startSeconds, BackoffLimit: tries, TTLSecondsAfterFinished: keptSeconds,
			Template: PodTemplate{Spec: PodSpec{
				ServiceAccountName: DrainNamespace, RestartPolicy: "Never", Affinity: affinityOf(w),
				// The other nodes of a small cluster are often servers, and can all be cordoned.
				Tolerations: []Toleration{
					{Key: "node-role.kubernetes.io/control-plane", Operator: "Exists"},
					{Key: "node-role.kubernetes.io/etcd", Operator: "Exists"},
					{Key: "CriticalAddonsOnly", Operator: "Exists"},
					{Key: "node.kubernetes.io/unschedulable", Operator: "Exists"},
				},
				SecurityContext: PodSecurityContext{RunAsNonRoot: true, RunAsUser: nobody, SeccompProfile: SeccompProfile{"RuntimeDefault"}},
				// What the function knows of the Node can be some minutes old, and another machine can have the name by now.
				InitContainers: []Container{kubectl("same-node", image, "wait", "node/"+w.Node,
					"--for=jsonpath="+w.Identity.Path+"="+w.Identity.Value, "--timeout=30s")},
				Containers: []Container{kubectl(string(w.Task), image, command...)},
			}},
		},
	}
	out.Spec.Template.Metadata.Labels = labels

	return out
}

// kubectl in a container of a name.
func kubectl(name, image string, args ...string) Container {
	return Container{
		Name: name, Image: image, Command: append([]string{"kubectl"}, args...),
		Resources: Resources{
			Requests: map[string]string{"cpu": "10m", "memory": "32Mi"}, Limits: map[string]string{"memory": "128Mi"},
		},
		SecurityContext: SecurityContext{ReadOnlyRootFilesystem: true, Capabilities: Capabilities{[]string{"ALL"}}},
	}
}

// affinityOf a Job's pod: one that drains runs on another node, since it would evict itself.
func affinityOf(w Work) *Affinity {
	if w.Task != TaskDrain {
		return nil
	}

	out := &Affinity{}
	out.NodeAffinity.Required.Terms = []NodeSelectorTerm{{[]NodeSelectorRequirement{{"metadata.name", "NotIn", []string{w.Node}}}}}

	return out
}

// ObservedJob is an Object of a Job as it was found.
type ObservedJob struct{ Found[Job, SeenJob] }

// A SeenJob is what counts of a Job as the provider read it last.
type SeenJob struct {
	Metadata Name `json:"metadata"`
	Status   struct {
		Conditions proxmox.Conditions `json:"conditions"`
	} `json:"status"`
}

// Name of the Job.
func (o ObservedJob) Name() string { return o.Spec.ForProvider.Manifest.Metadata.Name }

// A JobOutcome is how far a Job has come.
type JobOutcome string

// The outcomes.
const (
	// JobUnknown: nobody knows whether there is the Job.
	JobUnknown JobOutcome = "Unknown"
	// JobRunning: the Job was created, and has not ended.
	JobRunning JobOutcome = "Running"
	// JobComplete: the Job did what it is for.
	JobComplete JobOutcome = "Complete"
	// JobFailed: the Job could not do it, or not in time.
	JobFailed JobOutcome = "Failed"
)

// Outcome of the Job as the provider read it last, and why nothing newer is known; [SightClear] without a cause.
func (o ObservedJob) Outcome() (JobOutcome, Sight) {
	sight := SightClear

	switch synced := o.Status.Conditions.Of(proxmox.ConditionSynced); {
	case synced.Status == "":
		sight = SightPending
	case synced.IsFalse():
		sight = sightOf(synced.Message)
	}

	job := o.Status.AtProvider.Manifest

	switch {
	case o.Name() == "" || job.Metadata.Name != o.Name():
		return JobUnknown, sight
	case job.Status.Conditions.Of("Complete").IsTrue():
		return JobComplete, SightClear
	case job.Status.Conditions.Of("Failed").IsTrue():
		return JobFailed, SightClear
	}

	return JobRunning, sight
}
