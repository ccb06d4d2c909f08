package controlplane

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// What people install for DNS records: docs/day-two.md, DNS records. dnsProgram is the real external-dns, and its account; its zone is in its memory.
const (
	dnsRights  = repository + "/install/dns/dns.yaml"
	dnsTools   = "tools/external-dns"
	dnsModule  = "sigs.k8s.io/external-dns"
	dnsProgram = "external-dns"
	dnsZone    = "home.arpa"
	dnsName    = "ipam-first." + dnsZone
	dnsRenamed = "renamed." + dnsZone
	dnsIPv6    = "fd00::60"
)

// named is a claim with a DNS record, of both families.
func named(claim *unstructured.Unstructured) *unstructured.Unstructured {
	return edited(claim, map[string]any{"network.dnsRecord": dnsName, "network.ipv6": map[string]any{"ip": dnsIPv6 + "/64"}})
}

// pointing are the records of a name that points to the first machine.
func pointing(name string) map[string]string {
	return map[string]string{name + " A": "192.168.4.60", name + " AAAA": dnsIPv6}
}

// installDNS gives Crossplane the rights before there is the kind, as the documentation says.
func (i *ipamRun) installDNS(t *testing.T) {
	t.Helper()

	must(t, i.apply(t.Context(), objects(t, dnsRights)...))

	source, err := release{pinned: dnsTools, module: dnsModule}.source(t.Context())
	must(t, err)
	i.applyKinds(t, source+"/config/crd/standard/dnsendpoints.externaldns.k8s.io.yaml")
}

// An externalDNS is the real one, on a plane.
type externalDNS struct {
	log string
}

// startExternalDNS with the rights that its chart gives it for DNSEndpoints. It logs into the folder of the plane.
func startExternalDNS(t *testing.T, on *plane.Plane, folder string) externalDNS {
	t.Helper()

	must(t, on.Client.Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: dnsProgram},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"externaldns.k8s.io"}, Resources: []string{"dnsendpoints"}, Verbs: []string{"get", "watch", "list"}},
			{APIGroups: []string{"externaldns.k8s.io"}, Resources: []string{"dnsendpoints/status"}, Verbs: []string{"*"}},
		},
	}))

	tool, err := filepath.Abs(filepath.Join(toolsBin, dnsProgram))
	must(t, err)

	// It runs as long as the plane, and not as long as the step that starts it.
	_, err = on.Run(context.WithoutCancel(t.Context()), plane.Program{
		Name: dnsProgram, Path: tool, Args: []string{
			"--kubeconfig=" + account(t, on, dnsProgram, dnsProgram), "--source=crd", "--provider=inmemory", "--inmemory-zone=" + dnsZone,
			"--interval=1s", "--log-format=json", "--metrics-address=127.0.0.1:0",
		},
	})
	must(t, err)

	return externalDNS{log: filepath.Join(folder, dnsProgram+".log")}
}

// records of addresses that there are by name and type, such as "a.home.arpa A", and how many were ever deleted: what external-dns logs of its zone.
func (e externalDNS) records() (now map[string]string, deleted int, err error) {
	f, err := os.Open(e.log)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()

	now = map[string]string{}

	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct{ Msg string }
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue // It is still being written.
		}

		// Such as: CREATE: a.home.arpa 0 IN A  192.168.4.60 []
		did, record, _ := strings.Cut(line.Msg, ": ")

		parts := strings.Fields(record)
		if len(parts) < 5 || parts[3] != "A" && parts[3] != "AAAA" {
			continue
		}

		switch name := parts[0] + " " + parts[3]; did {
		case "CREATE", "UPDATE (new)":
			now[name] = parts[4]
		case "DELETE":
			delete(now, name)

			deleted++
		}
	}

	return now, deleted, nil
}

// resolves waits until there are these records and no others, after as many were deleted.
func (i *ipamRun) resolves(t *testing.T, want map[string]string, deleted int) {
	t.Helper()

	must(t, i.until(t.Context(), fmt.Sprintf("external-dns has the records %v", want), func(context.Context) (bool, string) {
		got, gone, err := i.dns.records()

		return err == nil && maps.Equal(got, want) && gone == deleted, fmt.Sprintf("-want, +got, %d deleted, error %v:\n%s", gone, err, cmp.Diff(want, got))
	}))
}

// isNamed: the first machine's name points to its addresses, and the claim says so once external-dns has read it.
func (i *ipamRun) isNamed(t *testing.T) {
	t.Helper()

	must(t, i.tells(t.Context(), i.first, word{conditionType: "DNSRecorded", status: "False", reason: "RecordWritten"}))

	i.dns = startExternalDNS(t, i.Plane, filepath.Join(logs, i.logs, i.configuration))

	i.isRead(t, dnsName)
	i.resolves(t, pointing(dnsName), 0)
}

// isRead: the claim says that external-dns has read that a name points to the machine.
func (i *ipamRun) isRead(t *testing.T, name string) {
	t.Helper()

	must(t, i.tells(t.Context(), i.first, word{"DNSRecorded", "True", "RecordRead", name + " points to 192.168.4.60 and " + dnsIPv6}))
}

// staysNamed: at no time was the name without its records.
func (i *ipamRun) staysNamed(t *testing.T) {
	t.Helper()

	i.isRead(t, dnsName)
	i.resolves(t, pointing(dnsName), 0)
}

// rename: an edit of the name moves its records.
func (i *ipamRun) rename(t *testing.T) {
	i.first = edited(i.first, map[string]any{"network.dnsRecord": dnsRenamed})
	must(t, i.apply(t.Context(), i.first))

	i.isRead(t, dnsRenamed)
	i.resolves(t, pointing(dnsRenamed), 2)
}

// isNamedNoMore: the records go with their machine.
func (i *ipamRun) isNamedNoMore(t *testing.T) {
	t.Helper()

	must(t, i.until(t.Context(), "the DNSEndpoint is gone", func(ctx context.Context) (bool, string) {
		all := &unstructured.UnstructuredList{}
		all.SetAPIVersion("externaldns.k8s.io/v1alpha1")
		all.SetKind("DNSEndpointList")
		err := i.Client.List(ctx, all, client.InNamespace(machines))

		return err == nil && len(all.Items) == 0, fmt.Sprint(all.Items, err)
	}))

	i.resolves(t, map[string]string{}, 4)
}
