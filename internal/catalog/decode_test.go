package catalog

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

const prefix = "EnvironmentConfig machine-catalog: data"

func TestDecode(t *testing.T) {
	yes := true

	type want struct {
		catalog Catalog
		faults  []string
	}

	cases := map[string]struct {
		reason   string
		document string
		want     want
	}{
		"Nothing": {reason: "No document is an empty catalogue."},
		"Null":    {reason: "Neither is null.", document: "null"},
		"Everything": {
			reason: "Every kind of entry is read, and remembers where it was written.",
			document: `{
				"defaults": {"class": "small", "image": 9000, "site": "home", "adminUser": "ops", "sshAuthorizedKeys": [], "pauseOnError": true},
				"classes": {"small": {"cores": 2, "memory": 4096, "disk": "30Gi", "cpuType": "host"}},
				"images": {"nixos-25.05": {"template": 9000, "templateNode": "pve", "os": "nixos", "cloudInit": true, "firmware": {"type": "UEFI"}}},
				"sites": {"home": {"nodes": {"pve": {"bridges": ["vmbr0"], "storages": {"local": ["iso"]}, "pci": []}}, "vmIds": {"from": 1000, "to": 1999}}},
				"clusters": {"home": {"server": "https://x:6443", "token": {"file": "/t"}, "config": {"a": 1}}}}`,
			want: want{catalog: Catalog{
				Defaults: Defaults{Defaults: catalogue.Defaults{
					Class: "small", Image: "9000", Site: "home", AdminUser: "ops", SSHAuthorizedKeys: []string{}, PauseOnError: &yes,
				}, From: map[string]string{
					"class": prefix + ".defaults.class", "image": prefix + ".defaults.image", "site": prefix + ".defaults.site",
					"adminUser": prefix + ".defaults.adminUser", "sshAuthorizedKeys": prefix + ".defaults.sshAuthorizedKeys",
					"pauseOnError": prefix + ".defaults.pauseOnError",
				}},
				Classes: map[string]Class{"small": {Class: catalogue.Class{Cores: 2, Memory: "4096", Disk: "30Gi", CPUType: "host"}, From: prefix + ".classes.small"}},
				Images: map[string]Image{"nixos-25.05": {Image: catalogue.Image{
					Template: 9000, TemplateNode: "pve", OS: "nixos", CloudInit: &yes, Firmware: &v1alpha1.Firmware{Type: "UEFI"},
				}, From: prefix + ".images.nixos-25.05"}},
				Sites: map[string]Site{"home": {Site: catalogue.Site{
					Nodes: map[string]catalogue.Node{"pve": {Bridges: []string{"vmbr0"}, Storages: map[string]catalogue.Contents{"local": {"iso"}}, PCI: []string{}}},
					VMIDs: &catalogue.Range{From: 1000, To: 1999},
				}, From: prefix + ".sites.home"}},
				Clusters: map[string]Cluster{"home": {Cluster: catalogue.Cluster{
					Server: "https://x:6443", Token: &v1alpha1.K3sToken{File: "/t"}, Config: v1alpha1.K3sConfig{"a": int64(1)},
				}, From: prefix + ".clusters.home"}},
			}},
		},
		"Version": {
			reason:   "The only version there is may be said.",
			document: `{"apiVersion": "catalogue.homelab.io/v1alpha1", "classes": {"small": {"cores": 2}}}`,
			want: want{catalog: Catalog{
				Defaults: Defaults{From: map[string]string{}},
				Classes:  map[string]Class{"small": {Class: catalogue.Class{Cores: 2}, From: prefix + ".classes.small"}},
			}},
		},
		"UnknownVersion": {
			reason:   "Nothing is read of a catalogue of another version, not even faults.",
			document: `{"apiVersion": "catalogue.homelab.io/v2", "classes": {"small": {"corez": 2}}}`,
			want: want{faults: []string{
				prefix + `.apiVersion: Invalid value: "catalogue.homelab.io/v2": must be catalogue.homelab.io/v1alpha1, the only version that this function knows: write that, or leave it out`,
			}},
		},
		"VersionOfAnotherType": {
			reason:   "A number is no version.",
			document: `{"apiVersion": 1, "classes": {"small": {"cores": 2}}}`,
			want: want{faults: []string{
				prefix + `.apiVersion: Invalid value: must be catalogue.homelab.io/v1alpha1, the only version that this function knows: write that, or leave it out`,
			}},
		},
		"Faults": {
			reason: "Unknown fields, wrong types and impossible names come back at once, by where they were written.",
			document: `{"classes": {"small": {"corez": 2, "memory": true}}, "images": {"9000": {"url": "u"}, "local:iso/x.iso": {}},
				"sites": {"": {}}, "clusters": {"home": {"token": "K10secret"}}, "default": {}}`,
			want: want{
				catalog: Catalog{
					Defaults: Defaults{From: map[string]string{}},
					Classes:  map[string]Class{"small": {From: prefix + ".classes.small"}},
					Images: map[string]Image{
						"9000":            {Image: catalogue.Image{URL: "u"}, From: prefix + ".images.9000"},
						"local:iso/x.iso": {From: prefix + `.images."local:iso/x.iso"`},
					},
					Sites:    map[string]Site{"": {From: prefix + `.sites.""`}},
					Clusters: map[string]Cluster{"home": {From: prefix + ".clusters.home"}},
				},
				faults: []string{
					prefix + ".classes.small.memory: Invalid value: true: must be text: put it in quotes",
					prefix + ".classes.small.corez: Forbidden: unknown field; did you mean data.classes.small.cores?",
					prefix + ".clusters.home.token: Invalid value: must be an object with fields: such as {secretRef: {name: k3s-join-token}, allowPlaintext: true}. Never commit a token: put it into a Secret; if this one is in Git, change it",
					prefix + ".default: Forbidden: unknown field; did you mean data.defaults?",
					prefix + `.sites."": Invalid value: "": must be neither empty nor longer than a claim allows`,
					prefix + `.images.9000: Invalid value: "9000": is not a valid name of an image: a number is a template, and a name with a colon is a volume`,
					prefix + `.images."local:iso/x.iso": Invalid value: "local:iso/x.iso": is not a valid name of an image: a number is a template, and a name with a colon is a volume`,
				},
			},
		},
		"QuotedTruth": {
			reason: "A word in quotes is no truth value and is not taken for one, whatever it means.", document: `{"defaults": {"pauseOnError": "no"}}`,
			want: want{
				catalog: Catalog{Defaults: Defaults{From: map[string]string{}}},
				faults:  []string{prefix + `.defaults.pauseOnError: Invalid value: "no": must be true or false, without quotes: write false`},
			},
		},
		"NotJSON": {
			reason: "A document that is no JSON is no catalogue.", document: "{",
			want: want{faults: []string{prefix + ": Invalid value: must be JSON: unexpected end of JSON input"}},
		},
		"NotAnObject": {
			reason: "Nor is a list.", document: "[]",
			want: want{catalog: Catalog{Defaults: Defaults{From: map[string]string{}}}, faults: []string{prefix + ": Invalid value: must be an object with fields"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}

			c, errs := Decode([]byte(tc.document), prefix)
			got.catalog = c

			for _, err := range errs {
				got.faults = append(got.faults, err.Error())
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	decode := func(document, prefix string) Catalog {
		c, errs := Decode([]byte(document), prefix)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}

		return c
	}

	no := false
	lower := decode(`{"defaults": {"class": "a", "site": "s", "sshAuthorizedKeys": ["k1"], "pauseOnError": true},
		"classes": {"a": {"cores": 1, "memory": "1Gi", "disk": "1Gi", "cpuType": "host"}, "b": {"cores": 2}},
		"images": {"i": {"template": 100}}, "sites": {"s": {}}, "clusters": {"c": {"version": "v1"}}}`, "lower")
	upper := decode(`{"defaults": {"class": "b", "sshAuthorizedKeys": [], "pauseOnError": false}, "classes": {"a": {"cores": 4}}, "clusters": {"d": {}}}`, "upper")

	want := Catalog{
		Defaults: Defaults{Defaults: catalogue.Defaults{
			Class: "b", Site: "s", SSHAuthorizedKeys: []string{}, PauseOnError: &no,
		}, From: map[string]string{
			"class": "upper.defaults.class", "site": "lower.defaults.site", "sshAuthorizedKeys": "upper.defaults.sshAuthorizedKeys",
			"pauseOnError": "upper.defaults.pauseOnError",
		}},
		// The upper entry says nothing of memory, and so there is none: an entry means what is written in it.
		Classes:  map[string]Class{"a": {Class: catalogue.Class{Cores: 4}, From: "upper.classes.a"}, "b": {Class: catalogue.Class{Cores: 2}, From: "lower.classes.b"}},
		Images:   map[string]Image{"i": {Image: catalogue.Image{Template: 100}, From: "lower.images.i"}},
		Sites:    map[string]Site{"s": {From: "lower.sites.s"}},
		Clusters: map[string]Cluster{"c": {Cluster: catalogue.Cluster{Version: "v1"}, From: "lower.clusters.c"}, "d": {From: "upper.clusters.d"}},
	}
	if diff := cmp.Diff(want, Merge(lower, upper)); diff != "" {
		t.Errorf("Entries replace entries, defaults are laid over each other one by one.\nMerge(...): -want, +got:\n%s", diff)
	}

	if got := Merge(lower, Catalog{}).Defaults.PauseOnError; got == nil || !*got {
		t.Errorf("What the upper catalogue does not say stays: want pauseOnError true, got %v", got)
	}

	if diff := cmp.Diff(decode(`{"classes": {"a": {"cores": 4}}, "defaults": {"class": "b", "sshAuthorizedKeys": [], "pauseOnError": false}, "clusters": {"d": {}}}`, "upper"), upper); diff != "" {
		t.Errorf("Merging leaves what is merged alone: -want, +got:\n%s", diff)
	}
}

// TestEveryDefaultIsMerged has a catalogue that says every default, and one that says none, on top of each other.
func TestEveryDefaultIsMerged(t *testing.T) {
	c, errs := Decode([]byte(`{"defaults": {"class": "a", "image": "i", "site": "s", "adminUser": "u", "sshAuthorizedKeys": ["k"], "pauseOnError": false, "deletionProtection": true, "approval": "OnRisk",
		"firewall": {"preset": "ssh"}}}`), "data")
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	said := reflect.ValueOf(c.Defaults.Defaults)
	for i := range said.NumField() {
		if f := said.Type().Field(i); said.Field(i).IsZero() {
			t.Errorf("This test says nothing of default %s", f.Name)
		}
	}

	if got, want := len(c.Defaults.From), said.NumField(); got != want {
		t.Errorf("Each default remembers where it was written: want %d, got %v", want, c.Defaults.From)
	}

	for name, merged := range map[string]Catalog{"Above": Merge(Catalog{}, c), "Below": Merge(c, Catalog{})} {
		if diff := cmp.Diff(c.Defaults, merged.Defaults); diff != "" {
			t.Errorf("%s: a default that one catalogue says is that of both.\nMerge(...): -want, +got:\n%s", name, diff)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"defaults": {"class": "small"}, "classes": {"small": {"cores": 2}}, "images": {"x": {"url": "https://x/y.img"}}}`))
	f.Add([]byte(`{"sites": {"home": {"nodes": {"pve": null, "": {"storages": {"": null}}}}}, "clusters": {"c": {"config": {"a": [null]}}}}`))

	f.Fuzz(func(t *testing.T, document []byte) {
		c, errs := Decode(document, prefix)
		if len(errs) > 0 {
			return
		}

		merged := Merge(BuiltIn(), c)
		if len(merged.Classes) < 4 {
			t.Errorf("Merge(BuiltIn(), Decode(%s)): the built-in classes are gone", document)
		}

		for name := range merged.Images {
			i, err := merged.Image(nil, name)
			if err != nil || i.From == "" {
				t.Errorf("Image(%q): %v, from %q", name, err, i.From)
			}

			_, _ = i.Download()
			_, _ = ParseVolume(i.Volume)
		}
	})
}

func TestUnknownVersionIsNobodysDefault(t *testing.T) {
	own, faults := Decode([]byte(`{"apiVersion": "catalogue.homelab.io/v2"}`), prefix)
	merged := Merge(BuiltIn(), own.WithFaults(faults, prefix))

	// A catalogue of another version may have a class small of its own, so that the built-in one is not taken either.
	if _, got := merged.Class(nil, DefaultClass); len(got) != 1 || got[0].Field != prefix+".apiVersion" {
		t.Errorf("Class(%s): got faults %v, want the one of the version", DefaultClass, got)
	}

	if got := merged.Doubt("site"); len(got) != 1 || got[0].Field != prefix+".apiVersion" {
		t.Errorf("Doubt(site): got %v, want the fault of the version", got)
	}
}
