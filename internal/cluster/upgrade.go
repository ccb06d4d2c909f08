package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A SystemUpgrade is what is known of system-upgrade-controller, which upgrades K3s on the nodes of a cluster while their VMs stay. A node is
// upgraded in its turn, like every other change: its Plan names the nodes that have their turn, and nobody else. The controller alone
// would go on to the next node as soon as its Job on the last one has ended, whether or not that node came back.
type SystemUpgrade struct {
	// Version is the release that all nodes are to run.
	Version string
	// Plans are the Plans as they were written last, by the role of their nodes.
	Plans map[Role]UpgradePlan
	// Trouble is why no upgrade can begin before a person has done something, in a sentence; empty where it can.
	Trouble string
	// Pending is who has not written the Plans as they are to be yet; empty where they are written.
	Pending string
	// Drains says whether nodes are drained whose specs do not say it.
	Drains bool
	// Window says that upgrades begin in a window only.
	Window bool
}

// An UpgradePlan is a Plan of system-upgrade-controller.
type UpgradePlan struct {
	Version string
	// Nodes are the nodes that the Plan names, by the names of their Kubernetes Nodes, sorted.
	Nodes []string
	// Applying are the nodes that the controller was upgrading when its Plan was read last.
	Applying []string
	// Drain says that one of the nodes is to be drained before.
	Drain bool
}

// upgrades are what of a decision is about system-upgrade-controller.
type upgrades struct{ *decision }

// behind says whether a node runs an earlier release than the one that all nodes are to run. One that runs a later one is left alone: K3s cannot be downgraded.
func (d upgrades) behind(c Child) bool {
	return d.System != nil && c.Joined && c.VersionSeen && c.Version != d.System.Version && !k3s.OlderRelease(d.System.Version, c.Version)
}

// upgrading says whether the upgrade of a node was begun and has not ended: its Plan names it, and it does not run the release yet, or the
// controller is not done with it.
func (d upgrades) upgrading(c Child) bool {
	if d.System == nil || c.NodeName == "" || c.Deleting {
		return false
	}

	switch plan := d.System.Plans[c.Role]; {
	case !slices.Contains(plan.Nodes, c.NodeName):
		return false
	case slices.Contains(plan.Applying, c.NodeName):
		return true
	case c.Role == v1alpha1.K3sAgent && len(d.serversBehind()) > 0:
		// The servers are to run another release since.
		return false
	default:
		return !c.VersionSeen || d.behind(c)
	}
}

// goOn with the upgrades of nodes whose turn it is.
func (d upgrades) goOn() {
	for name, c := range d.Children {
		if s := d.steps[name]; s.Action == ActionKeep && d.upgrading(c) && !lossesOf(d.decision).lost(name) {
			d.turnToUpgrade(s)
		}
	}
}

// turnToUpgrade gives a node its turn.
func (d upgrades) turnToUpgrade(s *Step) {
	s.Action, s.Why = ActionUpgrade, "K3s "+d.System.Version+" by system-upgrade-controller, servers first, one at a time"

	if s.State != StateReplacing && s.State != StateLeaving {
		s.State = StateChanging
	}
}

// start upgrades of nodes that run another release: servers before agents, each while all others are at rest.
func (d upgrades) start() {
	if d.System == nil {
		return
	}

	serversBehind := d.serversBehind()

	for _, m := range d.Members {
		c, exists := d.Children[m.Node]
		if !exists || c.Deleting || !d.behind(c) || d.steps[m.Node].Action != ActionKeep {
			continue
		}

		s := d.steps[m.Node]

		switch {
		case d.System.Trouble != "":
			s.Why = "waits for system-upgrade-controller"
			d.blocked = append(d.blocked, d.System.Trouble)
		case d.System.Pending != "":
			s.Why = "waits for " + d.System.Pending + ", which writes the Plans"
			d.waits = append(d.waits, d.System.Pending)
		case lossesOf(d.decision).lost(m.Node):
			// Its VM is off for good: the one that replaces it gets the release.
			s.Why = "is lost with its Proxmox node"
		case m.Role == v1alpha1.K3sAgent && len(serversBehind) > 0:
			s.Why = "waits for " + list(serversBehind)
			d.waits = append(d.waits, serversBehind...)
		case !d.rests(m.Node, restEnded):
			s.Why = "waits until it is at rest"
			d.waits = append(d.waits, m.Node)
		case !d.may(m.Node, m.Role, restEnded):
			s.Why = "waits for " + list(d.waitsFor(m.Node, m.Role, restEnded))
		default:
			d.turnToUpgrade(s)
		}
	}

	d.blocked = slices.Compact(d.blocked)
}

// serversBehind are the servers that do not run the release yet, sorted.
func (d upgrades) serversBehind() []string {
	var out []string

	for name, c := range d.Children {
		if c.Role == v1alpha1.K3sServer && d.behind(c) {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}

// plans of system-upgrade-controller as they are to be; nil where it upgrades nobody. A Plan that names no node keeps the release that it
// has: the controller deletes the Jobs of another one.
func (d upgrades) plans() map[Role]UpgradePlan {
	if d.System == nil {
		return nil
	}

	out := map[Role]UpgradePlan{}

	for _, role := range []Role{v1alpha1.K3sServer, v1alpha1.K3sAgent} {
		p := UpgradePlan{Version: d.System.Plans[role].Version}

		for name, s := range d.steps {
			if s.Action != ActionUpgrade || s.Role != role {
				continue
			}

			p.Nodes = append(p.Nodes, d.Children[name].NodeName)
			p.Drain = p.Drain || d.drains(d.Children[name].Spec)
		}

		slices.Sort(p.Nodes)

		// No agent gets a release before the servers have it.
		first := role == v1alpha1.K3sServer || len(d.serversBehind()) == 0

		if len(p.Nodes) > 0 && first || p.Version == "" && !d.anyBehind() {
			p.Version = d.System.Version
		}

		if p.Version == "" {
			p.Version = d.runs()
		}

		out[role] = p
	}

	return out
}

func (d upgrades) anyBehind() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(d.Children)), d.behind)
}

// runs is the release with which a node can join now: the oldest that a server is known to run, so that no node is newer than the servers.
func (d upgrades) runs() string {
	oldest := ""

	for _, c := range d.Children {
		if c.Role == v1alpha1.K3sServer && c.Joined && c.VersionSeen && (oldest == "" || k3s.OlderRelease(c.Version, oldest)) {
			oldest = c.Version
		}
	}

	return cmp.Or(oldest, d.System.Version)
}

// born is a member as it is created: with the release that the servers run.
func (d upgrades) born(m Member) Member {
	if d.System == nil || !d.anyBehind() {
		return m
	}

	return m.withVersion(d.runs())
}

// completed says that a rollout is complete, and what keeps the next one from its beginning.
func (d upgrades) completed() string {
	out := "All nodes are as the claim describes them."
	if d.System != nil && d.System.Trouble != "" {
		out += " " + sentence(d.System.Trouble)
	}

	return out
}

// progress says how far system-upgrade-controller has come, and for whom it waits.
func (d upgrades) progress(p Plan) string {
	run, all := 0, 0

	for _, c := range d.Children {
		if c.Joined && !c.Deleting {
			all++

			if c.VersionSeen && !d.behind(c) {
				run++
			}
		}
	}

	var waits []string

	for _, s := range p.Steps {
		if s.Action == ActionUpgrade {
			waits = append(waits, s.Node+d.trouble(s.Node))
		}
	}

	out := fmt.Sprintf("K3s %s is being rolled out by system-upgrade-controller: %d of %d nodes run it; waits for %s", d.System.Version, run, all, list(waits))
	if d.System.Window {
		out += ", and for rollout.window"
	}

	if out = sentence(out); d.etcdUnknown() {
		out += " " + k3s.EtcdUnknown
	}

	return out
}

// recorded are the nodes that exist, with a spec that names the release that they run, once that is the one that all are to run. The spec
// is what the node's next VM is created with, which must not be older than the others; for the VM that runs, nothing follows from it.
func (w World) recorded() World {
	if w.System == nil {
		return w
	}

	w.Children = maps.Clone(w.Children)
	w.Members = slices.Clone(w.Members)

	for i, m := range w.Members {
		c, exists := w.Children[m.Node]
		if !exists {
			continue
		}

		has := versionOf(c.Spec)
		before := m.withVersion(has)

		if !c.Joined || !c.VersionSeen || c.Version != w.System.Version {
			w.Members[i] = before
			continue
		}

		if has == versionOf(m.Spec) {
			continue
		}

		c.Spec = withVersion(c.Spec, versionOf(m.Spec))

		// Its turn is over, whatever release the turn was for.
		if c.Template == before.Template {
			c.Template = m.Template
		}

		w.Children[m.Node] = c
	}

	return w
}

// withVersion is the member with another release of K3s; empty for that of the catalogue.
func (m Member) withVersion(version string) Member {
	if versionOf(m.Spec) == version {
		return m
	}

	m.Spec = withVersion(m.Spec, version)
	if m.Founder != nil {
		m.Founder = withVersion(m.Founder, version)
	}

	// What was a spec before is one now.
	m.Template, _ = templateOf(m.Spec)

	return m
}

func versionOf(spec map[string]any) string {
	v, _ := group(spec, "k3s")["version"].(string)
	return v
}

func withVersion(spec map[string]any, version string) map[string]any {
	out, k := maps.Clone(spec), maps.Clone(group(spec, "k3s"))

	if version == "" {
		delete(k, "version")
	} else {
		k["version"] = version
	}

	out["k3s"] = k

	return out
}

// drains says whether a node is drained before an outage.
func (d upgrades) drains(spec map[string]any) bool {
	asks, said := group(spec, "k3s")["drain"].(bool)

	return asks || !said && d.System.Drains
}

// CheckUpgrade refuses what system-upgrade-controller cannot do: to upgrade nodes that nobody reads or writes, or to an
// earlier release. wanted is the release that all nodes are to run, and reaches says whether the catalogue's entry of the cluster has both
// providerConfig and observe.
func CheckUpgrade(spec v1alpha1.K3sClusterSpec, wanted string, reaches bool, children map[string]Child) field.ErrorList {
	at := field.NewPath("spec")

	if errs := checkMinor(spec.Version); len(errs) > 0 {
		return errs
	}

	if spec.Upgrade != v1alpha1.UpgradeSystem || spec.Cluster == "" {
		return CheckVersion(spec, children)
	}

	switch {
	case !reaches:
		return field.ErrorList{field.Invalid(at.Child("upgrade"), string(spec.Upgrade),
			"needs providerConfig and observe in the catalogue's entry of cluster "+spec.Cluster+": provider-kubernetes writes the Plans into the cluster, and the Nodes say what runs")}
	case wanted == "":
		return field.ErrorList{field.Required(at.Child("version"), "upgrade: SystemUpgrade needs the release that all nodes are to run, such as v1.33.6+k3s1")}
	}

	for _, name := range slices.Sorted(maps.Keys(children)) {
		if c := children[name]; c.VersionSeen && k3s.OlderRelease(wanted, c.Version) {
			return field.ErrorList{field.Invalid(at.Child("version"), wanted,
				fmt.Sprintf("is older than %s, which node %s runs: K3s cannot be downgraded in place", c.Version, name))}
		}
	}

	spec.Version = wanted

	return CheckVersion(spec, children)
}

// upgradeOf checks what a claim alone says of upgrades.
func upgradeOf(at *field.Path, spec v1alpha1.K3sClusterSpec) field.ErrorList {
	var errs field.ErrorList

	if spec.Upgrade == v1alpha1.UpgradeSystem && spec.Cluster == "" {
		errs = append(errs, field.Required(at.Child("cluster"), "upgrade: SystemUpgrade needs an entry of the catalogue's clusters, with providerConfig and observe"))
	}

	return append(errs, checkWindow(at.Child("rollout", "window"), spec)...)
}

// Days are the days of the week, in the order of the week.
var Days = []v1alpha1.Day{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} //nolint:gochecknoglobals // A constant list.

// zonePattern is that of the names in the IANA database.
var zonePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_+/-]{0,63}$`)

func checkWindow(at *field.Path, spec v1alpha1.K3sClusterSpec) field.ErrorList {
	w := spec.Rollout.Window

	switch {
	case w == nil:
		return nil
	case spec.Upgrade != v1alpha1.UpgradeSystem:
		return field.ErrorList{field.Forbidden(at, "is for upgrade: SystemUpgrade only: system-upgrade-controller has a clock, and all other turns begin when they can; "+
			"use rollout.pause for them")}
	}

	var errs field.ErrorList

	for _, t := range []struct{ name, value string }{{"startTime", w.StartTime}, {"endTime", w.EndTime}} {
		if !isTime(t.value) {
			errs = append(errs, field.Invalid(at.Child(t.name), message.Excerpt(t.value), "must be a time as HH:MM, such as 02:00"))
		}
	}

	errs = append(errs, checkDays(at.Child("days"), w.Days)...)

	if w.TimeZone != "" && !zonePattern.MatchString(w.TimeZone) {
		errs = append(errs, field.Invalid(at.Child("timeZone"), message.Excerpt(w.TimeZone), "must be a name of the IANA database, such as Europe/Berlin"))
	}

	if isTime(w.EndTime) && w.EndTime <= w.StartTime {
		errs = append(errs, field.Invalid(at.Child("endTime"), w.EndTime, "must be later on the same day than startTime, which is "+w.StartTime))
	}

	return errs
}

func checkDays(at *field.Path, all []v1alpha1.Day) field.ErrorList {
	var errs field.ErrorList

	if len(all) > len(Days) {
		errs = append(errs, field.TooMany(at, len(all), len(Days)))
	}

	for i, d := range all {
		switch {
		case !slices.Contains(Days, d):
			errs = append(errs, field.NotSupported(at.Index(i), d, Days))
		case slices.Contains(all[:i], d):
			errs = append(errs, field.Duplicate(at.Index(i), d))
		}
	}

	return errs
}

// isTime says whether a text is a time of the day as HH:MM.
func isTime(text string) bool {
	hours, minutes, ok := strings.Cut(text, ":")
	h, err := strconv.ParseUint(hours, 10, 8)
	m, err2 := strconv.ParseUint(minutes, 10, 8)

	return ok && len(hours) == 2 && len(minutes) == 2 && err == nil && err2 == nil && h < 24 && m < 60
}
