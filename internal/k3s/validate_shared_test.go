package k3s

import (
	"os"
	"strings"
	"testing"
)

const (
	sharedPlace = "EnvironmentConfig machine-catalog: data.clusters.home.config"
	mustBeSame  = "must be equal on all servers of a cluster, because K3s refuses to join others: "
)

func TestValidateShared(t *testing.T) {
	cases := map[string]struct {
		reason      string
		own, shared map[string]any
		where       string
		want        []string
	}{
		"Nothing": {"A node without settings of its own.", nil, map[string]any{"cluster-cidr": "10.9.0.0/16"}, sharedPlace, nil},
		"OwnAffair": {
			"Servers may differ in what K3s does not compare.",
			map[string]any{"node-ip": "10.0.0.9", "etcd-snapshot-retention": 20.0, "kubelet-arg": []any{"max-pods=200"}},
			nil, sharedPlace, nil,
		},
		"Elsewhere": {
			"The next server of the cluster would not have it.",
			map[string]any{"cluster-cidr": "10.9.0.0/16"},
			nil, sharedPlace,
			[]string{`spec.k3s.x[cluster-cidr]: Invalid value: "10.9.0.0/16": ` + mustBeSame + "set it in " + sharedPlace + ", and not here"},
		},
		"Other": {
			"This one would not join.",
			map[string]any{"secrets-encryption": false},
			map[string]any{"secrets-encryption": true},
			sharedPlace,
			[]string{`spec.k3s.x[secrets-encryption]: Invalid value: false: ` + mustBeSame + sharedPlace + " has another value; leave it out here"},
		},
		"NoCluster": {
			"Without a cluster in the catalogue nobody knows what the others have.",
			map[string]any{"flannel-backend": "none", "disable-network-policy": true},
			nil, "",
			[]string{
				`spec.k3s.x[disable-network-policy]: Invalid value: true: ` + mustBeSame + "set it in the config of a cluster in the catalogue, and name this cluster in spec.k3s.cluster",
				`spec.k3s.x[flannel-backend]: Invalid value: ` + mustBeSame + "set it in the config of a cluster in the catalogue, and name this cluster in spec.k3s.cluster",
			},
		},
		"Repeated": {
			"To say what the cluster says is no fault.",
			map[string]any{"cluster-cidr": []any{"10.9.0.0/16", "fd00::/56"}, "service-cidr": "10.8.0.0/16", "embedded-registry": true},
			map[string]any{"cluster-cidr": "10.9.0.0/16,fd00::/56", "service-cidr": []any{"10.8.0.0/16"}, "embedded-registry": true},
			sharedPlace, nil,
		},
		"Order": {
			"The first of two ranges is the cluster's main one.",
			map[string]any{"cluster-cidr": "fd00::/56,10.9.0.0/16"},
			map[string]any{"cluster-cidr": "10.9.0.0/16,fd00::/56"},
			sharedPlace,
			[]string{`spec.k3s.x[cluster-cidr]: Invalid value: ` + mustBeSame + sharedPlace + " has another value; leave it out here"},
		},
		"Secret": {
			"What could be a secret in the wrong place is not shown.",
			map[string]any{"cluster-domain": "hunter2"},
			nil, sharedPlace,
			[]string{`spec.k3s.x[cluster-domain]: Invalid value: ` + mustBeSame + "set it in " + sharedPlace + ", and not here"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { check(t, tc.reason, tc.want, ValidateShared(tc.own, tc.shared, tc.where, at)) })
	}
}

// The table says which keys are critical, and each of them is refused on a node alone.
func TestValidateSharedKnowsEveryCriticalKey(t *testing.T) {
	values := map[string]any{"string": "/x", "bool": true, "list": []any{"x"}}
	critical := 0

	for name, key := range configKeys() {
		own := map[string]any{name: values[key.Type]}

		if faults := ValidateShared(own, nil, sharedPlace, at); key.Critical != (len(faults) == 1) {
			t.Errorf("%s: critical is %v, and the faults are %v", name, key.Critical, faults)
		}

		if key.Critical {
			critical++
		}
	}

	// As many as K3s documents; agent-token among them, and servicelb in disable beside them.
	if critical != 15 {
		t.Errorf("the table has %d critical keys", critical)
	}
}

func TestValidateSharedDisable(t *testing.T) {
	where := strings.TrimSuffix(sharedPlace, "config") + "disable"
	all := "either all servers of a cluster disable servicelb or none, because K3s refuses to join others: " + where

	cases := map[string]struct {
		reason      string
		own, shared []string
		want        []string
	}{
		"Silent":    {"The cluster's list is taken.", nil, []string{"servicelb"}, nil},
		"Unshared":  {"A cluster that names nothing leaves it to its servers.", []string{"servicelb"}, nil, nil},
		"Same":      {"Both leave it out.", []string{"traefik", "servicelb"}, []string{"servicelb"}, nil},
		"Others":    {"Other components may differ.", []string{"traefik"}, []string{"metrics-server"}, nil},
		"Forgotten": {"The claim's list takes the place of the cluster's.", []string{"traefik"}, []string{"servicelb"}, []string{`spec.k3s.x: Invalid value: ["traefik"]: ` + all + " has servicelb; add it here, or leave disable out"}},
		"Emptied":   {"An empty list, too.", []string{}, []string{"servicelb"}, []string{`spec.k3s.x: Invalid value: []: ` + all + " has servicelb; add it here, or leave disable out"}},
		"Added":     {"The other servers have it.", []string{"servicelb"}, []string{"traefik"}, []string{`spec.k3s.x: Invalid value: ["servicelb"]: ` + all + " has no servicelb; remove it here, or add it there"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { check(t, tc.reason, tc.want, ValidateSharedDisable(tc.own, tc.shared, where, at)) })
	}
}

func TestCatalogueDocumentsCriticalKeys(t *testing.T) {
	text, err := os.ReadFile("../../docs/catalogue.md")
	if err != nil {
		t.Fatal(err)
	}

	for name, key := range configKeys() {
		// A secret is not written there either.
		if key.Critical && !key.Secret && !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/catalogue.md does not say that %s belongs to the cluster", name)
		}
	}
}
