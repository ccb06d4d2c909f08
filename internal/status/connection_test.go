package status

import "testing"

func TestConnectionWayOut(t *testing.T) {
	const begins = "The site's providerConfig names another connection to Proxmox than the VM was made with. The VM keeps `first`, and is managed through it: leave that configuration in " +
		"place as long as there are such VMs. No new VM is needed. To give existing ones other credentials, write the former name into the catalogue again, and change what is in the configuration. "

	cases := map[string]struct {
		reason     string
		connection Connection
		want       string
	}{
		"Unknown": {
			reason: "The catalogue says nothing of the cluster.", connection: Connection{Guest: "VM", Has: "first"},
			want: begins + "If both reach one Proxmox cluster, say so: give this site and a site with `first` the same name in proxmox. Otherwise they count as two clusters.",
		},
		"Shared": {
			reason: "Nothing else is to be said there.", connection: Connection{Guest: "VM", Has: "first", Shared: "dc1"},
			want: begins + "Both reach Proxmox cluster `dc1`, as the catalogue says: VMIDs, addresses and memory are counted together.",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.connection.WayOut(); got != tc.want {
				t.Errorf("%s\n-want %s\n+got  %s", tc.reason, tc.want, got)
			}
		})
	}
}
