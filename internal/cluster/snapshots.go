package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

const (
	maxSchedule   = 64
	maxRetention  = 1000
	maxSecretName = 253
)

var (
	// cronPattern is that of five fields of cron. Only days and months have names.
	cronPattern       = regexp.MustCompile(`^([0-9*/,-]+ ){3}[0-9A-Za-z*/,-]+ [0-9A-Za-z*/,-]+$`)
	secretNamePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
)

// A snapshotSetting is a field of servers.snapshots as K3s' config.yaml has it.
type snapshotSetting struct {
	key   string
	value any
	field string
}

// settingsOf the snapshots, as K3s has them; none where the claim says nothing.
func settingsOf(s *v1alpha1.EtcdSnapshots) []snapshotSetting {
	if s == nil {
		return nil
	}

	var out []snapshotSetting

	if s.Schedule != "" {
		out = append(out, snapshotSetting{k3s.KeySnapshotSchedule, s.Schedule, "schedule"})
	}

	if s.Retention != nil {
		out = append(out, snapshotSetting{k3s.KeySnapshotRetention, *s.Retention, "retention"})
	}

	// K3s ignores the Secret as soon as any other option of S3 is set, so there is none beside these two.
	if s.S3 != nil {
		out = append(out, snapshotSetting{k3s.KeyS3, true, "s3"}, snapshotSetting{k3s.KeyS3Secret, s.S3.SecretRef.Name, "s3"})
	}

	return out
}

// snapshotConfig is the config of a server with the settings of its snapshots; as it is where the claim says nothing of them.
func snapshotConfig(config map[string]any, s *v1alpha1.EtcdSnapshots) map[string]any {
	settings := settingsOf(s)
	if len(settings) == 0 {
		return config
	}

	out := maps.Clone(config)
	if out == nil {
		out = map[string]any{}
	}

	for _, set := range settings {
		out[set.key] = set.value
	}

	return out
}

// checkSnapshots checks what the claim alone says of snapshots.
func checkSnapshots(servers *field.Path, pool v1alpha1.ServerPool) field.ErrorList {
	s := pool.Snapshots
	if s == nil {
		return nil
	}

	at := servers.Child("snapshots")

	var errs field.ErrorList

	if s.Schedule != "" && (len(s.Schedule) > maxSchedule || !cronPattern.MatchString(s.Schedule)) {
		errs = append(errs, field.Invalid(at.Child("schedule"), message.Excerpt(s.Schedule), "must be the five fields of cron, such as 0 */6 * * *"))
	}

	if r := s.Retention; r != nil && (*r < 1 || *r > maxRetention) {
		errs = append(errs, field.Invalid(at.Child("retention"), *r, fmt.Sprintf("must be 1 to %d", maxRetention)))
	}

	if s.S3 != nil {
		name := s.S3.SecretRef.Name
		if len(name) > maxSecretName || !secretNamePattern.MatchString(name) {
			errs = append(errs, field.Invalid(at.Child("s3", "secretRef", "name"), message.Excerpt(name), "must be the name of a Secret, such as etcd-s3"))
		}
	}

	config, _ := group(map[string]any(pool.Template), "k3s")["config"].(map[string]any)
	where := servers.Child("template", "k3s", "config")

	for _, set := range settingsOf(s) {
		if _, twice := config[set.key]; twice {
			errs = append(errs, field.Forbidden(where.Key(set.key), at.Child(set.field).String()+" says it; remove one of the two"))
		}
	}

	return append(errs, hindered(s, at, config, where.String())...)
}

// checkSnapshotsOf a server checks its snapshots against the cluster's entry of the catalogue, whose config the servers have, too.
func checkSnapshotsOf(spec v1alpha1.K3sClusterSpec, m Member, cat catalog.Catalog) field.ErrorList {
	s := spec.Servers.Snapshots
	if s == nil || m.Role != v1alpha1.K3sServer {
		return nil
	}

	at, entry := field.NewPath("spec", "servers", "snapshots"), cat.Clusters[spec.Cluster]

	// What the pool's template says replaces the catalogue's, and is checked with the claim.
	config := maps.Clone(entry.Config)
	maps.DeleteFunc(config, func(key string, _ any) bool { _, own := configOf(m.Spec)[key]; return own })

	errs := hindered(s, at, config, entry.Path().Child("config").String())

	version := cmp.Or(released(spec.Version), entry.Version)
	if first := k3s.NeedsForS3Secret(version); s.S3 != nil && first != "" {
		errs = append(errs, field.Forbidden(at.Child("s3"), fmt.Sprintf("K3s %s cannot read a Secret with the settings of S3: upgrade to %s or later", version, first)))
	}

	return errs
}

// hindered are the snapshots that a config keeps K3s from taking, or from copying.
func hindered(s *v1alpha1.EtcdSnapshots, at *field.Path, config map[string]any, where string) field.ErrorList {
	var errs field.ErrorList

	switch {
	case k3s.VoteOf(config) != "":
		errs = append(errs, field.Forbidden(at, "the servers have no etcd of their own, by "+where+": save the datastore that has the cluster's state"))
	case config[k3s.KeySnapshotsOff] == true:
		errs = append(errs, field.Forbidden(at, where+"["+k3s.KeySnapshotsOff+"] is true, so that K3s takes none; remove one of the two"))
	}

	if s.S3 == nil {
		return errs
	}

	for _, key := range slices.Sorted(maps.Keys(config)) {
		if k3s.HidesS3Secret(key) {
			errs = append(errs, field.Forbidden(at.Child("s3"),
				"K3s ignores the Secret because of "+where+"["+key+"]: move it into the Secret, and remove it there"))
		}
	}

	return errs
}
