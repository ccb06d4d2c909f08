package rehearse

import (
	"bytes"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// serversNodes are the addresses of three servers, as aCluster has them.
const serversNodes = `{name: server-0, ip: 192.168.4.211}, {name: server-1, ip: 192.168.4.212}, {name: server-2, ip: 192.168.4.213}`

// snapshots says where servers save etcd, and restores that they begin with a snapshot from there.
const (
	snapshots = `servers: {snapshots: {s3: {secretRef: {name: etcd-s3}}}, `
	restores  = snapshots + `restore: {snapshot: etcd-snapshot-home-server-0-1732240800}, `
)

// sharedCatalogue is aCatalogue of a site whose nodes see all datastores.
var sharedCatalogue = strings.Replace(aCatalogue, "      providerConfig: default\n", "      providerConfig: default\n      sharedDatastores: [local-zfs, local]\n", 1)

// aCarrier is a machine on which Crossplane runs.
const aCarrier = aMachine + "  runsCrossplane: true\n  lifecycle: {rebootPolicy: WhenNeeded}\n"

// waves are two machines of a group, one wave after the other.
var waves = func() string {
	first := aMachine + "  rollout: {group: edge, wave: 1, revision: \"1\"}\n  lifecycle: {rebootPolicy: WhenNeeded}\n"

	return first + "---\n" + strings.NewReplacer("git01", "git02", "192.168.4.61", "192.168.4.62", "wave: 1", "wave: 2").Replace(first)
}()

// A chapterScene is an edit of a claim, or of the catalogue.
type chapterScene struct {
	reason    string
	claim     string
	edit      []string // Of the claim; without one, and without one of the catalogue, the claim is new.
	catalogue []string
	want      Outcome
}

func (s chapterScene) isBirth() bool { return s.edit == nil && s.catalogue == nil }

// inHA says whether VMs are in HA, which needs nodes that see all datastores.
func (s chapterScene) inHA() bool { return strings.Contains(s.claim+strings.Join(s.edit, ""), "ha: {") }

// chapterScenes are what chapters of docs/clusters.md and docs/day-two.md describe and no other rehearsal plays, by the golden of each: docs/rehearsed.md has them.
var chapterScenes = map[string]chapterScene{
	"Birth":         {"A cluster from nothing: server-0, then the other servers one by one, and beside them all agents.", aCluster, nil, nil, Done},
	"BirthRestored": {"A cluster that begins with a snapshot.", strings.Replace(aCluster, "servers: {", restores, 1), nil, nil, Done},
	"RestoreLate":   {"A cluster that exists is not restored.", strings.Replace(aCluster, "servers: {", snapshots, 1), []string{snapshots, restores}, nil, Refused},
	"Paused":        {"A rollout that pauses begins nothing.", aCluster, []string{"class: server}", "class: server-large}", "rollout: {", "rollout: {pause: true, "}, nil, Waits},
	"Swap":          {"Two servers that swap their addresses would be on one address.", aCluster, []string{serversNodes, "{name: server-0, ip: 192.168.4.211}, {name: server-1, ip: 192.168.4.213}, {name: server-2, ip: 192.168.4.212}"}, nil, Waits},
	"ServerAddress": {"A server has its address until another VM replaces it.", aCluster, []string{"192.168.4.212", "192.168.4.219"}, nil, Done},
	"Born":          {"A release for new nodes reaches nobody who runs: that is said of each server, and agents follow the servers.", aCluster, []string{"v1.36.5", "v1.36.6"}, nil, Waits},
	"UpgradeByNew":  {"Each node gets a new VM with the later release.", aCluster, []string{"v1.36.5", "v1.36.6", "upgrade: None", "upgrade: Replace"}, nil, Done},
	"Route":         {"A minor release as the version is reached one after the other.", strings.Replace(aCluster, "v1.36.5+k3s1", "v1.34.9+k3s1", 1), []string{"v1.34.9+k3s1", "v1.36", "upgrade: None", "upgrade: SystemUpgrade"}, nil, Done},
	"Etcd":          {"A release whose etcd counts removed members again is refused.", strings.Replace(aCluster, "v1.36.5+k3s1", "v1.33.6+k3s1", 1), []string{"v1.33.6+k3s1", "v1.34.2+k3s1", "upgrade: None", "upgrade: SystemUpgrade"}, nil, Refused},
	"Settings":      {"What K3s refuses of a new server is made on nobody.", aCluster, []string{"class: server}", "class: server, template: {k3s: {config: {cluster-cidr: 10.50.0.0/16}}}}"}, nil, Waits},
	"Snapshots":     {"Another schedule of snapshots is for new VMs, which the servers get one after another, and no agent.", aCluster, []string{"class: server}", "class: server, snapshots: {schedule: \"0 */6 * * *\"}}"}, nil, Done},
	"ReplaceFirst":  {"The first server joins when it is replaced.", aCluster, []string{"{name: server-0, ", "{name: server-0, lifecycle: {replace: a}, "}, nil, Done},
	"UpgradeOwn":    {"K3sNodes of one cluster are upgraded one at a time.", ownServers, []string{"v1.36.5", "v1.36.6"}, []string{"observe: Here", "upgrade: SystemUpgrade, version: v1.36.6+k3s1, observe: Here"}, Done},
	"Respelled":     {"Today's spelling of a field does nothing.", strings.Replace(aMachine, "network: {ip: 192.168.4.61}", "network: {ip: 192.168.4.61}\n  proxmox: {bridge: vmbr0}", 1), []string{"ip: 192.168.4.61}\n  proxmox: {bridge: vmbr0}", "ip: 192.168.4.61, bridge: vmbr0}"}, nil, Done},
	"Approval":      {"An edit with a risk waits for its approval, as a whole.", aMachine + "  lifecycle: {approval: OnRisk, rebootPolicy: WhenNeeded}\n", []string{"4Gi", "6Gi"}, nil, Waits},
	"Waves":         {"One commit for two waves restarts the second one after the first.", waves, []string{"4Gi", "6Gi", `revision: "1"`, `revision: "2"`}, nil, Done},
	"Carrier":       {"What carries Crossplane is restarted by a person.", aCarrier, []string{"4Gi", "6Gi"}, nil, Waits},
	"OnlyServer":    {"So is the only server of the cluster that Crossplane runs in.", oneServer, []string{"class: server}", "class: server-large}"}, nil, Waits},
	"Replaced":      {"Another VM replaces a machine's, and has its address once that is off.", aMachine, []string{"spec:\n", "spec:\n  lifecycle: {replace: a}\n"}, nil, Done},
	"Elsewhere":     {"Servers of several namespaces are one etcd, and restart one after another.", strings.Replace(ownServers, "server-3, namespace: infra-machines", "server-3, namespace: lab", 1), []string{"class: server", "class: server-large"}, nil, Done},
	"Available":     {"A VM in HA restarts once, out of HA meanwhile.", aMachine + "  ha: {enabled: true}\n  lifecycle: {rebootPolicy: WhenNeeded}\n", []string{"4Gi", "6Gi"}, nil, Done},
	"IntoHA":        {"The HA manager is told of a VM that runs.", aMachine, []string{"spec:\n", "spec:\n  ha: {enabled: true}\n"}, nil, Done},
	"OutOfHA":       {"It is let go, and the VM runs on: nobody is waited for.", aMachine + "  ha: {enabled: true}\n", []string{"  ha: {enabled: true}\n", ""}, nil, Done},
	"Number":        {"A VM keeps its VMID.", aMachine, []string{"spec:\n", "spec:\n  proxmox: {vmId: 4777}\n"}, nil, Waits},
	"Storage":       {"A disk stays where it is.", aMachine + aDisk, []string{"size: 20Gi", "size: 20Gi, storage: ceph"}, nil, Waits},
}

func TestChapterScenes(t *testing.T) {
	for name, tc := range chapterScenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := editOf(t, tc.claim, tc.edit, tc.catalogue)
			if tc.inHA() {
				in = shared(t, tc.claim, tc.edit)
			}

			if tc.isBirth() {
				for i := range in.Machines {
					in.Machines[i].Was = nil
				}
			}

			r := rehearsed(t, in)

			if r.Verdict.Outcome != tc.want || len(r.Verdict.Faults) > 0 || !r.Before.Rests {
				t.Errorf("%s Want %s, got %+v", tc.reason, tc.want, r.Verdict)
			}

			text := &bytes.Buffer{}
			if err := r.Text(text); err != nil {
				t.Fatal(err)
			}

			golden(t, name+".txt", text.Bytes())
		})
	}
}

// shared is an edit where all nodes see all datastores, so that VMs can be in HA.
func shared(t *testing.T, claim string, edit []string) Input {
	t.Helper()

	was, is := sceneWith(t, claim, sharedCatalogue, preview.World{}), sceneWith(t, strings.NewReplacer(edit...).Replace(claim), sharedCatalogue, preview.World{})
	in := Input{Assumed: Usual(), Memory: memory}

	for _, machine := range world.Keys(is) {
		before := was[machine]
		in.Machines = append(in.Machines, Machine{Name: machine, Was: &before, Is: is[machine]})
	}

	return in
}
