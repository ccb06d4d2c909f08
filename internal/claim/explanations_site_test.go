package claim

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestWhatASiteDoesNotHave: each row of docs/outside.md, "Why these are no fields", is a refusal with that reason, in all words that people have for it, of a site
// and of a node.
func TestWhatASiteDoesNotHave(t *testing.T) {
	const (
		storage  = "no kind for storage entries"
		backups  = "no kind for backup jobs"
		ha       = "no kind for rules of the HA manager"
		firewall = "would open all of them at once"
		users    = "worth as much as the password of root"
		mappings = "no kind for resource mappings"
		sdn      = "no kind for SDN"
		rest     = "All else is set up in Proxmox itself"
	)

	rows := map[string]map[string]string{
		"storage entries, also of a Proxmox Backup Server": {
			"storage": storage, "storages": storage, "storageEntries": storage, "datastores": storage, "dataStores": storage, "pbs": storage, "backupServer": storage, "nfs": storage, "ceph": storage,
		},
		"backup jobs": {"backup": backups, "backups": backups, "backupJobs": backups, "backup-jobs": backups, "vzdump": backups, "jobs": backups, "pruneBackups": backups},
		"rules of the HA manager, resource mappings, SDN": {
			"ha": ha, "haRules": ha, "ha_rules": ha, "rules": ha, "nodeAffinity": ha, "affinity": ha, "resourceMappings": mappings, "mappings": mappings, "pci": mappings, "sdn": sdn, "vnets": sdn, "zones": sdn,
		},
		"groups of the HA manager": {"haGroups": ha, "haGroup": ha, "ha-groups": ha},
		"security groups, IP sets and aliases of the datacenter": {
			"firewall": firewall, "firewallRules": firewall, "securityGroups": firewall, "security_groups": firewall, "ipSets": firewall, "ipsets": firewall, "aliases": firewall,
		},
		"users, roles and permissions of the provider's token": {
			"users": users, "roles": users, "acl": users, "acls": users, "permissions": users, "privileges": users, "tokens": users, "realms": users, "groups": users,
		},
		"name servers, time, hosts, package sources and certificates of a node, ACME, metric servers, the nodes' firewall": {
			"dns": rest, "nameservers": rest, "ntp": rest, "timezone": rest, "aptRepositories": rest, "certificates": rest, "acme": rest, "acmeAccounts": rest, "metrics": rest, "metricServers": rest,
		},
	}

	page, err := os.ReadFile("../../docs/outside.md")
	if err != nil {
		t.Fatal(err)
	}

	_, table, _ := strings.Cut(string(page), "## Why these are no fields")

	documented := regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| [^|]+ \|$`).FindAllStringSubmatch(table, -1)[1:]
	if len(documented) != len(rows)+1 {
		t.Errorf("%d rows of docs/outside.md, and %d here", len(documented)-1, len(rows))
	}

	for _, row := range documented[1:] {
		if rows[row[1]] == nil {
			t.Errorf("docs/outside.md says why %s are no fields, and no claim is told so", row[1])
		}
	}

	for row, words := range rows {
		for word, want := range words {
			for _, path := range []string{"spec." + word, "spec.nodes.pve1." + word} {
				if got := explanation(KindProxmoxSite, path); !strings.Contains(got, want) {
					t.Errorf("%s: %s is answered with %q, want %q", row, path, got, want)
				}
			}
		}
	}

	// What a site has, what is one letter off, and other kinds are not answered so.
	for kind, paths := range map[string][]string{
		KindProxmoxSite: {"spec.nodes", "spec.pools", "spec.hosts", "spec.pool", "spec.nodes.ha", "spec.nodes.firewall", "spec.nodes.pve1.bridge", "spec.pools[0].comment"},
		KindMachine:     {"spec.firewall", "spec.ha", "spec.roles", "spec.rules", "spec.datastores"},
		KindContainer:   {"spec.firewall", "spec.rules"},
	} {
		for _, path := range paths {
			for _, e := range siteParts {
				if got := explanation(kind, path); got == e.text {
					t.Errorf("%s of a %s is answered with %q", path, kind, got)
				}
			}
		}
	}
}
