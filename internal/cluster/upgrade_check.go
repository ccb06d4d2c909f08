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
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// CheckUpgrade refuses what system-upgrade-controller cannot do: to upgrade nodes that nobody reads or writes, or to an
// earlier release. wanted is the release that all nodes are to run, and reaches says whether the catalogue's entry of the cluster has both
// providerConfig and observe.
func CheckUpgrade(spec v1alpha1.K3sClusterSpec, wanted string, reaches bool, children map[string]Child) field.ErrorList {
	at := field.NewPath("spec")

	if errs := checkMinor(spec.Version); len(errs) > 0 {
		return errs
	}

	if spec.Upgrade != v1alpha1.UpgradeSystem || spec.Cluster == "" {
		return checkWanted(spec, wanted, children)
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

	return checkWanted(spec, wanted, children)
}

// checkWanted checks the release that all nodes are to run: the claim's, or where it names none, the catalogue's, which then is what a person has to correct.
func checkWanted(spec v1alpha1.K3sClusterSpec, wanted string, children map[string]Child) field.ErrorList {
	said := spec.Version
	spec.Version = cmp.Or(wanted, said)

	errs := CheckVersion(spec, children)
	if said == "" {
		for _, err := range errs {
			err.Detail += "; the release is that of the catalogue's entry of cluster " + spec.Cluster + ", since the claim names none"
		}
	}

	return errs
}

// upgradeOf checks what a claim alone says of upgrades.
func upgradeOf(at *field.Path, spec v1alpha1.K3sClusterSpec) field.ErrorList {
	errs := validate.OneOf(at.Child("upgrade"), spec.Upgrade, v1alpha1.UpgradeNone, v1alpha1.UpgradeReplace, v1alpha1.UpgradeSystem)

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

// CheckVersion refuses a release that skips a minor release of those that nodes run, which Kubernetes does not support, and one with which etcd
// would count removed members again. What a node was created with, the cluster may have upgraded since, unless nodes are upgraded by replacement: then
// it refuses a release before that of every server, too, see [checkBack].
func CheckVersion(spec v1alpha1.K3sClusterSpec, children map[string]Child) field.ErrorList {
	wanted, ok := k3s.MinorOf(spec.Version)
	if !ok {
		return nil
	}

	children = maps.Clone(children)
	maps.DeleteFunc(children, func(_ string, c Child) bool { return !c.VersionSeen && spec.Upgrade != v1alpha1.UpgradeReplace })

	for _, name := range slices.Sorted(maps.Keys(children)) {
		c := children[name]

		if k3s.Skips(c.Version, spec.Version) {
			return field.ErrorList{field.Invalid(field.NewPath("spec", "version"), spec.Version,
				fmt.Sprintf("skips a minor release: node %s runs %s; %s", name, c.Version, k3s.InSteps(c.Version, spec.Version)))}
		}
	}

	if errs := checkBack(spec, wanted, children); len(errs) > 0 {
		return errs
	}

	return checkEtcd(spec.Version, children)
}

// checkBack refuses an earlier minor release where every server has left it and nodes are replaced: an API server does not read what a later one has
// written, and Kubernetes supports no way back. While a server still runs it, an upgrade may be taken back.
func checkBack(spec v1alpha1.K3sClusterSpec, wanted int, children map[string]Child) field.ErrorList {
	if spec.Upgrade != v1alpha1.UpgradeReplace {
		return nil
	}

	oldest, release := 0, ""

	for _, name := range slices.Sorted(maps.Keys(children)) {
		c := children[name]
		if c.Role != v1alpha1.K3sServer {
			continue
		}

		has, ok := k3s.MinorOf(c.Version)
		if !ok {
			return nil
		}

		if release == "" || has < oldest {
			oldest, release = has, c.Version
		}
	}

	if release == "" || wanted >= oldest {
		return nil
	}

	return field.ErrorList{field.Invalid(field.NewPath("spec", "version"), spec.Version, fmt.Sprintf(
		"is a minor release before %s, which all servers run: Kubernetes cannot go back. Write the release that they run, or restore a snapshot of etcd from before the upgrade", release))}
}
