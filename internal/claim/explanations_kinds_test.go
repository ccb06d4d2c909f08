package claim

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestFieldsOfAnotherKind: a field that another kind has is answered with that kind at every depth, and what is somebody else's with whose it is.
func TestFieldsOfAnotherKind(t *testing.T) {
	const unknown = "unknown field; there are: a, b"

	cases := map[string]struct {
		kind, path, detail string
		want               string // Part of the answer; empty: the decoder's own.
	}{
		"AtTheTop":         {KindMachine, "spec.features", unknown, "a Container has it: write kind: Container"},
		"InNetwork":        {KindContainer, "spec.network.stableMAC", unknown, "unknown field of a Container; a Machine or K3sNode has it"},
		"InAList":          {KindContainer, "spec.disks[0].ssd", unknown, "a Machine or K3sNode has it"},
		"InSize":           {KindContainer, "spec.size.memoryFloor", unknown, "a Machine or K3sNode has it"},
		"InPlacement":      {KindContainer, "spec.proxmox.migrate", unknown, "a Machine or K3sNode has it"},
		"InBootstrap":      {KindContainer, "spec.bootstrap.secretStore", unknown, "a Machine or K3sNode has it"},
		"OfNoKind":         {KindContainer, "spec.network.colour", unknown, ""},
		"BelowText":        {KindContainer, "spec.hostname.first", unknown, ""},
		"NearerHere":       {KindContainer, "spec.network.stableMAC", "unknown field; did you mean spec.network.mac?", ""},
		"GuestOfASite":     {KindProxmoxSite, "spec.tags", unknown, "unknown field of a ProxmoxSite, which is no guest"},
		"CatalogueOfASite": {KindProxmoxSite, "spec.vmIds", unknown, "it is of the site in the catalogue"},
		"CatalogueOfANode": {KindProxmoxSite, "spec.nodes.pve1.memory", unknown, "it is of the site in the catalogue"},
		"SiteKept":         {KindProxmoxSite, "spec.deletionProtection", unknown, "leave deletionPolicy: Orphan"},
		"SiteAdopts":       {KindProxmoxSite, "spec.nodes.pve1.bridges[0].adopt", unknown, "adopts nothing"},
		"VNet":             {KindProxmoxSite, "spec.sdn", unknown, "network: {bridge: servers}"},
		"Patch":            {KindMachine, `spec."$patch"`, unknown, "it is of a patch"},
		"PatchOfAnItem":    {KindMachine, `spec.disks[0]."$patch"`, unknown, "it is of a patch"},
		"PatchOfAList":     {KindMachine, `spec."$setElementOrder/disks"`, unknown, "it is of a patch"},
		"RootPassword":     {KindContainer, "spec.bootstrap.rootPassword", unknown, "takes no passwords"},
		"AdminPassword":    {KindMachine, "spec.bootstrap.adminPassword", unknown, "takes no passwords"},
		"HashedPassword":   {KindMachine, "spec.bootstrap.hashed_passwd", unknown, "takes no passwords"},
		"MountOfAStore":    {KindMachine, "spec.bootstrap.secretStore.mount", "unknown field; did you mean spec.bootstrap.secretStore.appRole.mount?", "mount: secret, secret: myapp"},
		"Snapshot":         {KindMachine, "spec.lifecycle.snapshot", unknown, "makes no snapshots of a VM"},
		"RulesByDirection": {KindMachine, "spec.firewall.in", unknown, "allow: [{port: 22, from: 192.168.4.0/24}]"},
		"RulesBySource":    {KindContainer, "spec.firewall.from", unknown, "allow: [{port: 22, from: 192.168.4.0/24}]"},
		"Policy":           {KindMachine, "spec.firewall.policy_in", unknown, "no claim changes these"},
		"Restarts":         {KindMachine, "spec.ha.restarts", "unknown field; did you mean spec.bootstrap.secretStore.files[].restart?", "write ha: {enabled: true, maxRestart: 3}"},
		"StateOfHA":        {KindMachine, "spec.ha.state", unknown, "The state ignored, in which HA leaves the VM alone, is ha: {enabled: false}"},
		"HAInFull":         {KindMachine, "spec.highAvailability", unknown, "Proxmox's high availability is ha: {enabled: true}"},
		"HAOfTerraform":    {KindK3sNode, "spec.hastate", unknown, "Proxmox's high availability is ha: {enabled: true}"},
		"NoHA":             {KindMachine, "spec.hash", unknown, ""},
		"VirtualIP":        {KindK3sNode, "spec.k3s.kubeVip", unknown, "is server of the cluster in the catalogue"},
		"CNIOfANode":       {KindK3sNode, "spec.k3s.cni", unknown, "K3s brings flannel"},
		"PackagesOfK3s":    {KindK3sNode, "spec.k3s.packages", unknown, "belongs into the cloud-config"},
		"Registries":       {KindK3sCluster, "spec.registries", unknown, "/etc/rancher/k3s/registries.yaml"},
		"ExternalDB":       {KindK3sNode, "spec.k3s.datastore", "unknown field; did you mean spec.proxmox.storage?", "an option of all servers, datastore-endpoint"},
		"DatastoreOfVM":    {KindMachine, "spec.proxmox.datastore", "unknown field; did you mean spec.proxmox.storage?", ""},
		"TokenFromSecret":  {KindK3sNode, "spec.k3s.token.valueFrom", unknown, "write {secretRef: {name: k3s-token, key: token}"},
		"EndpointOfS3":     {KindK3sCluster, "spec.servers.snapshots.s3.endpoint", "unknown field; did you mean spec.endpoint?", "is in a Secret in kube-system"},
		"TypoInS3":         {KindK3sCluster, "spec.servers.snapshots.s3.secretref", "unknown field; did you mean spec.servers.snapshots.s3.secretRef?", ""},
		"DriversOfWindows": {KindMachine, "spec.cdrom", unknown, "image: local:iso/talos.iso"},
		"InitProvider":     {KindContainer, "spec.initProvider", unknown, "of the provider's resources"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ofUnknown(tc.kind, field.Forbidden(field.NewPath(tc.path), tc.detail))
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("%s of a %s is answered with %q, want %q", tc.path, tc.kind, got, tc.want)
			}
		})
	}
}
