package k3s

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/version"
)

//go:embed etcd.tsv
var etcdTable string

// RepairsMembers is the first release of etcd 3.5 that forgets removed members for good. An etcd 3.6 that follows an earlier 3.5 reads them as
// members again, waits for their votes, and stops: https://etcd.io/blog/2025/zombie_members_upgrade, k3s-io/k3s issues 13271 and 13485.
const RepairsMembers = "3.5.26"

// EtcdUnknown is what to say of an upgrade with [HopUnknown].
const EtcdUnknown = "The function does not know the etcd of one of the two releases: servers with an etcd before " + RepairsMembers +
	" must not get etcd 3.6; see docs/clusters.md, Upgrades and etcd."

//nolint:gochecknoglobals // Constants that have to be parsed.
var (
	repaired = version.MustParseGeneric(RepairsMembers)
	crossed  = version.MustParseGeneric("3.6.0")
)

// A HopVerdict is whether the members of etcd survive an upgrade of K3s.
type HopVerdict string

// The verdicts.
const (
	HopFine HopVerdict = ""
	// HopRefused: etcd before [RepairsMembers] would become etcd 3.6 or later.
	HopRefused HopVerdict = "Refused"
	// HopUnknown: the table does not say enough of one of the two releases.
	HopUnknown HopVerdict = "Unknown"
)

// A Hop is what becomes of etcd in an upgrade of K3s.
type Hop struct {
	Verdict HopVerdict
	// Stop is the release to upgrade to before, where the hop is refused.
	Stop string
}

// EtcdHop says whether servers with members of etcd can be upgraded from one release of K3s to another one. What the table says of a release
// holds for its neighbours, too: a later release of K3s has no earlier minor release of etcd, and within a minor release of K3s no earlier etcd.
func EtcdHop(from, to string) Hop {
	// At rest nothing is compared.
	if from == to {
		return Hop{}
	}

	return etcds().hop(from, to)
}

// HasEtcd36 says whether a release of K3s is known to embed etcd 3.6 or later.
func HasEtcd36(release string) bool { return etcds().after(release) }

// An etcdRelease is a row of the table.
type etcdRelease struct {
	release string
	etcd    *version.Version
}

// etcdReleases are a table, from the oldest release of K3s to the newest.
type etcdReleases []etcdRelease

// etcds are the embedded table. A test checks that it parses and is sorted.
var etcds = sync.OnceValue(func() etcdReleases { //nolint:gochecknoglobals // A constant that has to be read from a file.
	var out etcdReleases

	for line := range strings.Lines(etcdTable) {
		release, etcd, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}

		// K3s' own number of an etcd, such as -k3s1, makes it no candidate.
		number, _, _ := strings.Cut(etcd, "-")
		out = append(out, etcdRelease{release, version.MustParseGeneric(number)})
	}

	return out
})

func (t etcdReleases) hop(from, to string) Hop {
	switch {
	case t.before(to), t.repairs(from):
		return Hop{}
	case t.after(to) && t.keeps(from):
		return Hop{Verdict: HopRefused, Stop: t.stop(from)}
	}

	return Hop{Verdict: HopUnknown}
}

// before says whether a release is known to embed an etcd before 3.6.
func (t etcdReleases) before(release string) bool {
	return slices.ContainsFunc(t, func(r etcdRelease) bool { return r.etcd.LessThan(crossed) && notNewer(release, r.release) })
}

// after says whether a release is known to embed etcd 3.6 or later.
func (t etcdReleases) after(release string) bool {
	return slices.ContainsFunc(t, func(r etcdRelease) bool { return r.etcd.AtLeast(crossed) && notNewer(r.release, release) })
}

// repairs says whether no removed member is left after a release: its etcd forgot them, or has counted them already.
func (t etcdReleases) repairs(release string) bool {
	return t.after(release) || slices.ContainsFunc(t, func(r etcdRelease) bool {
		return r.etcd.AtLeast(repaired) && sameMinor(r.release, release) && notNewer(r.release, release)
	})
}

// keeps says whether the etcd of a release is known to keep removed members.
func (t etcdReleases) keeps(release string) bool {
	return slices.ContainsFunc(t, func(r etcdRelease) bool {
		return r.etcd.LessThan(repaired) && (sameMinor(r.release, release) || r == t[0]) && notNewer(release, r.release)
	})
}

// stop is the release to upgrade to before: the newest one of the same minor release that repairs the members, or of the next one that has any.
func (t etcdReleases) stop(from string) string {
	of, _ := MinorOf(from)
	stop := ""

	for _, r := range t {
		is, _ := MinorOf(r.release)
		if is >= of && r.etcd.AtLeast(repaired) && r.etcd.LessThan(crossed) && (stop == "" || sameMinor(stop, r.release)) {
			stop = r.release
		}
	}

	return stop
}

// notNewer says whether a release is known to be another one or older.
func notNewer(a, b string) bool { return a == b || OlderRelease(a, b) }

func sameMinor(a, b string) bool {
	minorA, ok := MinorOf(a)
	minorB, ok2 := MinorOf(b)

	return ok && ok2 && minorA == minorB
}
