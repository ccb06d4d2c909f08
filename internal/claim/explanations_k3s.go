package claim

import "regexp"

// k3sParts are what people look for in k3s of a K3sNode, in a K3sCluster and beside an image, and where it is. The first one that matches counts.
var k3sParts = []explainedField{ //nolint:gochecknoglobals // A constant table.
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.k3s\.(?i:kube_?vip|vip|virtual_?ip|load_?balancer|metal_?lb|addons|manifests|helm|(helm_?)?charts?|argo\w*|longhorn)$`),
		"unknown field: what runs in the cluster, such as kube-vip or Longhorn, is applied to it, with kubectl, Flux or Argo CD. A manifest that K3s applies at its start is a file " +
			"in /var/lib/rancher/k3s/server/manifests, which bootstrap.userData of a server writes. The address at which nodes join, also a virtual one, is server of the " +
			"cluster in the catalogue: clusters: {home: {server: https://192.168.4.210:6443}}",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.k3s\.(?i:packages|run_?cmd|write_?files|(pre|post)_?(k3s)?commands)$`),
		"unknown field: it is cloud-init's, and belongs into the cloud-config in bootstrap.userData",
	},
	{
		[]string{KindK3sNode, KindK3sCluster},
		regexp.MustCompile(`^spec\.(k3s\.)?(?i:registr(y|ies)|(registry_?)?mirrors?|registries_?config|private_?registry)$`),
		"unknown field: K3s reads its registries from /etc/rancher/k3s/registries.yaml: write the file with write_files of bootstrap.userData, and one with a password with " +
			"bootstrap.secrets; a K3sCluster has bootstrap in template of its servers and of each pool. If a password is in Git, change it",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.k3s\.(?i:(external_?)?datastore|database|db|mysql|postgres\w*)$`),
		"unknown field: an external datastore is an option of all servers, datastore-endpoint. With user and password it is written into no claim: a snippet on the Proxmox node " +
			"writes it into /etc/rancher/k3s/config.yaml.d/. Without, as of etcd, it may stand in the catalogue: clusters: {home: {config: {datastore-endpoint: ...}}}. " +
			"If a password is in Git, change it",
	},
	{
		[]string{KindK3sNode, KindK3sCluster},
		regexp.MustCompile(`^spec\.(k3s\.)?(token|joinToken)\.(valueFrom|value_from|secretKeyRef|fromSecret|from)$`),
		"unknown field: write {secretRef: {name: k3s-token, key: token}, allowPlaintext: true}, with the name of your Secret and its key",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.servers\.snapshots\.s3\.(?i:bucket\w*|endpoint|url|host|region|folder|path|prefix|insecure|` +
			`skip\w*|access\w*|secret_?(access_?)?key|credentials\w*)$`),
		"unknown field: where snapshots go, and with which key, is in a Secret in kube-system of the cluster, with the keys etcd-s3-endpoint, etcd-s3-bucket, etcd-s3-access-key " +
			"and etcd-s3-secret-key: write s3: {secretRef: {name: etcd-s3}}. If a key is in Git, change it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(?i:cd_?roms?|isos|iso_?(image|file)s?|virtio_?iso)$`),
		"unknown field: a machine that boots from an ISO names it as its image, such as image: local:iso/talos.iso; a further one, such as that with the drivers of virtio, is " +
			"inserted in Proxmox, as ide2, and stays there",
	},
}
