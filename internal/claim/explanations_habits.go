package claim

import (
	"regexp"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// foreignToken is the name of a K3s token as other tools have it.
const foreignToken = `(k3s|cluster|server|agent|master|worker|shared)_?[tT]oken|token(From|File|Path|Value)`

// habits are further fields that no claim has, as other tools for virtual machines and clusters name them, and what to write instead.
var habits = []explainedField{ //nolint:gochecknoglobals // A constant table.
	{
		[]string{KindMachine, KindK3sNode, KindContainer, KindK3sCluster, KindProxmoxSite},
		regexp.MustCompile(`^spec\.name$`),
		"unknown field: the name is that of the claim: write it into metadata: {name: web}, beside spec; a guest of another name has hostname",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer, KindK3sCluster, KindProxmoxSite},
		regexp.MustCompile(`^spec\.(proxmox_\w+|api_\w+|apiHost|apiUser|apiPassword|apiToken\w*|validate_certs|pm_\w+|credentialsRef)$`),
		"unknown field: a claim has neither address nor credentials of Proxmox: they are in the Secret of the ProviderConfig that the site in the catalogue names " +
			"(sites.home.providerConfig). Never commit a token or a password: if this one is in Git, change it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(containers|initContainers|serviceAccount|serviceAccountName|imagePullSecrets|securityContext|hostNetwork|dnsPolicy|` +
			`terminationGracePeriodSeconds|volumeClaimTemplates|dataVolumeTemplates|\w+Probe|command|entrypoint|depends_on|dependsOn|healthcheck|services)$`),
		"unknown field: it is of a Pod or of Docker Compose, and a VM has a whole system: what runs in it is set up by the cloud-config in bootstrap.userData, and the order in " +
			"which a node starts its guests is startup: {order: 2}. Remove it",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(serviceAccount|serviceAccountName|imagePullSecrets|securityContext|hostNetwork|dnsPolicy|terminationGracePeriodSeconds|` +
			`volumeClaimTemplates|\w+Probe)$`),
		"unknown field: it is of a Pod. This is a container of LXC, with a whole system in it and no single program: remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(bootstrap\.)?(dataSecretName|provision|provisioners?|remote_exec|synced_folders?|syncedFolders?|cicustom)$`),
		"unknown field: what is set up in a new VM is a cloud-config: bootstrap: {userData: ...}, or that of a file on the node, snippets: {userData: local:snippets/web.yaml}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(providerID|providerId|clusterName|infrastructureRef|virtualMachineID|controlPlaneEndpoint|checks)$`),
		"unknown field: it is of Cluster API, and a claim has none: remove it. A node of K3s is a K3sNode, and names its cluster: k3s: {cluster: home, role: agent}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindK3sCluster},
		regexp.MustCompile(`^spec\.(talos\w*|machineConfig|machineconfig|configPatches|config_patches|installDisk|machine_type|schematic\w*|controlplane|` +
			`(?i:system_?extensions|kernel_?modules|sysctls))$`),
		"unknown field: it is of Talos, which has no cloud-init and is none of the systems that a claim sets up: a K3sCluster has nodes of K3s (docs/why-not.md)",
	},
	{
		[]string{KindMachine, KindK3sNode, KindK3sCluster},
		regexp.MustCompile(`^spec\.(k3s\.)?(INSTALL_K3S_\w+|K3S_\w+|k3s_exec|exec)$`),
		"unknown field: it is of the script that installs K3s, which the function runs itself: address and release are those of the cluster in the catalogue, clusters: {home: {server: " +
			"https://192.168.4.210:6443, version: v1.33.6+k3s1}}, or endpoint and version of a K3sCluster; the token is in a Secret, token: {secretRef: {name: k3s-token}}; options are keys " +
			"of k3s.config. If a token is in Git, change it",
	},
	{
		[]string{KindK3sNode, KindK3sCluster},
		regexp.MustCompile(`^spec\.(k3s\.)?(channel|releaseChannel|k3sChannel|k3s_channel|k3s_version|kubernetes|kubernetesVersion|k8sVersion)$`),
		"unknown field: K3s has one release, which changes when you change it, and no channel: version: v1.33.6+k3s1 of a K3sCluster, or of the cluster in the catalogue",
	},
	{
		[]string{KindK3sNode, KindK3sCluster},
		regexp.MustCompile(`^spec\.(k3s\.)?(flannel\w*|datastore_endpoint|datastoreEndpoint|` +
			`kubelet_arg|kubeletArgs?|write_kubeconfig_mode|selinux|docker|snapshotter)$`),
		"unknown field: options of K3s have the names of its configuration file: those of one node are k3s: {config: {flannel-iface: eth0}}, those of all nodes are in the cluster of the " +
			"catalogue, clusters: {home: {config: {flannel-backend: none}}}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(mp\d+|rootfs|synced|lxc\w*)$`),
		"unknown field: it is of a container. The root disk of a VM is size: {disk: 40Gi}, and further ones are disks: [{name: data, size: 100Gi}]",
	},
	{
		[]string{KindMachine},
		regexp.MustCompile(`^spec\.nix\.(branch|ref|rev|revision|tag|commit|dir|directory|subdir|path|repo|repository|url|remote)$`),
		"unknown field: repository, branch and folder are parts of flakeRef: write flakeRef: git+https://host/repo?ref=main&dir=nix#name, or github:owner/repo/branch#name",
	},
	{
		[]string{KindMachine},
		regexp.MustCompile(`^spec\.nix\.(host|hostname|name|attr|attribute|configuration|configurationName|output|profile)$`),
		"unknown field: the name in nixosConfigurations is behind # of flakeRef, by default the machine's host name: write flakeRef: github:owner/repo#name",
	},
	{
		[]string{KindMachine},
		regexp.MustCompile(`^spec\.nix\.(token|accessTokens?|access_tokens|credentials|secret|secretRef|deployKey|sshKey|privateKey|password|username|user|netrc)$`),
		"unknown field: a claim has no credentials. What the machine reads a private repository with is in its file /etc/nix-gitops/credentials, which bootstrap.secrets or a " +
			"vendor-data snippet on the node writes (example/nix/README.md, A private repository). If a token is in Git, revoke it",
	},
	{
		[]string{KindMachine},
		regexp.MustCompile(`^spec\.nix\.(autoUpgrade|auto_upgrade|enable|enabled|interval|poll|pollInterval|period|cron|timer|dates|onCalendar)$`),
		"unknown field: how often the machine converges is a calendar expression of systemd, and without one it converges once: write schedule: daily",
	},
	{
		[]string{KindMachine},
		regexp.MustCompile(`^spec\.nix\.(rollback|autoRollback|magicRollback|confirmTimeout|activationTimeout)$`),
		"unknown field: a revision that fails is taken back by itself. What shows it is one shell command: write healthCheck: systemctl is-active nginx",
	},
	{
		[]string{KindMachine},
		regexp.MustCompile(`^spec\.nix\.(system|hostPlatform|platform|arch|stateVersion|channel|nixpkgs|overlays|modules|imports|packages|allowUnfree|config|` +
			`settings|substituters?|extraSubstituters|trustedPublicKeys|caches?|` + //nolint:misspell // A word of Nix.
			`binaryCaches?|experimentalFeatures|proxy|gc|optimise|sops|agenix|secrets)$`),
		"unknown field: it is of the machine's configuration, in the flake: system.stateVersion, nixpkgs.hostPlatform, nixpkgs.config.allowUnfree, nix.settings.substituters with " +
			"trusted-public-keys, networking.proxy. The first run has what the image has of it",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer, KindK3sCluster},
		regexp.MustCompile(`^spec\.(deletionPropagation|deletePropagation|propagationPolicy|prune|pruneProtection)$`),
		"unknown field: it is of Flux, Argo CD or kubectl. What becomes of the guest with its claim is deletionPolicy: Delete or Orphan; what keeps Flux from deleting the claim is " +
			"the annotation kustomize.toolkit.fluxcd.io/prune: disabled",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer, KindK3sCluster},
		regexp.MustCompile(`^spec\.(suspend|suspended|paused|pause)$`),
		"unknown field: a claim is paused by the annotation crossplane.io/paused: \"true\" in metadata, a layer of Flux by its own suspend: true, and the rollout of a K3sCluster by rollout: {pause: true}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer, KindK3sCluster},
		regexp.MustCompile(`^spec\.(connectionSecretToRef|connectionSecretRef|connectionSecret|connectionDetails|secretToRef)$`),
		"unknown field: a claim makes no Secret: what others need of a guest, such as its address, is in its status",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.lifecycle\.(protect|protection|prevent_destroy|deletionProtection)$`),
		"unknown field: write deletionProtection: true in spec itself",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(` + foreignToken + `)$|^spec\.((servers|agents\[\d+\])\.)?` +
			`(k3s(\.config)?|config|k3s_config|server_?[cC]onfig|agent_?[cC]onfig|bootstrap)\.(token|join_?[tT]oken|` + foreignToken + `)$`),
		"unknown field: the token with which nodes join is token, or joinToken with the full token of a cluster that there is: write token: {secretRef: {name: k3s-token}, " +
			"allowPlaintext: true, trustOnFirstUse: true}. " + message.NeverCommit,
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.(k3s\.)?(` + foreignToken + `|(join|node)_?[tT]oken)$|^spec\.token$`),
		"unknown field: a node has one token, k3s.token, or that of its cluster in the catalogue: write k3s: {token: {secretRef: {name: k3s-token}, allowPlaintext: true}}. " +
			message.NeverCommit,
	},
	{
		Kinds(),
		regexp.MustCompile(`^spec\.(k3s\.)?(token|joinToken)\.(secretName|secret|existingSecret|tokenSecret)$`),
		"unknown field: a Secret is named by secretRef: write secretRef: {name: k3s-token}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(fqdn|network\.(fqdn|hostname))$`),
		"unknown field: the name is metadata.name, or hostname where it is another one, and the DNS domain network.domain: write hostname: web and network: {domain: home.arpa}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(imageUrl|imageURL|image_url|cloudImage|imageSource)$`),
		`unknown field: a URL is written into the catalogue, images: {mine: {url: "https://...", os: debian}}; then image: mine`,
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootDisk\.(size|sizeGb|size_gb|sizeGB|disk)$`),
		"unknown field: bootDisk has options of the root disk, and its size is size.disk: write size: {disk: 40Gi}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.disks\[\d+\]\.format$`),
		"unknown field: the file system is filesystem: ext4, with mountPath beside it. The volume itself is in the format of its datastore",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(size\.)?(sockets|cpu|cpuType|cpu_type|cputype|numa|vcpus)$`),
		"unknown field of a Container: it has the CPU of its node, without a type, and a number of cores of it: write size: {cores: 2}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(size\.)?(sockets|numSockets|num_sockets|cpuSockets)$`),
		"unknown field: a VM has one socket, and all its cores are size.cores: for sockets: 2 and cores: 2 write size: {cores: 4}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(numa\d*|hotplug|kvm|protectionMode|tablet|args|kvm_arguments|smbios\d*|serial\d+|serial_devices?|rng\d*|audio\d*|audio_device|` +
			`watchdog|keyboard|keyboard_layout|hookscript|` +
			`hook_script_file_id|tpm_state|tpmState|tpmstate\d*|stop_on_destroy|timeout_\w+|vmgenid|localtime|freeze|acpi)$`),
		"unknown field: the function does not set this option of Proxmox: remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(size\.affinity|(size\.)?(numa\w*|hugepages|keep_?[hH]ugepages|cpu_?[uU]nits|cpu_?[lL]imit|limit|cpu_?[aA]ffinity|units|` +
			`flags|cpu_?[fF]lags|architecture|arch|allow_?[kK]sm)|` +
			`serial|spice\w*|amd_?[sS]ev|intel_?[tT]dx|scsihw|scsi_hardware|scsiHardware|` +
			`firmware\.(viommu|vIOMMU|aw_bits)|` +
			`(bootDisk|disks\[\d+\])\.(iops\w*|mbps\w*|speed|throttle|shared|snapshot|ro|readOnly|read_only|queues|detect_zeroes|werror|rerror))$`),
		"unknown field: the function does not set this option of Proxmox: remove it. What becomes of it where somebody sets it in Proxmox is in docs/day-two.md, A VM changed in Proxmox",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(bootDisk|disks\[\d+\])\.(import_?[fF]rom|file_?[iI]d|image|url)$`),
		"unknown field: what the boot disk begins with is image, a name of the catalogue or a volume of the node: image: local:import/noble.qcow2. Data disks begin empty",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.disks\[\d+\]\.(serial|serialNumber|serial_number|label|wwn)$`),
		"unknown field: the serial number of a disk in the guest is its name, as lsblk -o PATH,SERIAL shows: write name: data",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(devices\.)?(virtiofs?|virtio_fs|virtioFs|shares?|shared_?[fF]olders?|9p|sharedFilesystems|filesystems)$`),
		"unknown field: a claim shares no folder of the node with a VM. Export it with NFS, and mount it in the guest (mounts in bootstrap.userData), or have disks: [{name: data, size: 100Gi}]",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.size\.(requests|limits)$`),
		"unknown field: a VM has all of its size, and no request and limit: write size: {cores: 2, memory: 4Gi, disk: 40Gi}. What it gives back when its node " +
			"needs memory is above size.memoryFloor",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(nodeSelector|nodeAffinity|affinity|tolerations|topologySpreadConstraints|failureDomain|failureDomains|allowedNodes)$`),
		"unknown field: it is of a Pod or of Cluster API. A guest runs on the node of Proxmox that its claim names: proxmox: {node: pve}",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.k3s\.tolerations$`),
		"unknown field: Pods tolerate, and a node has taints: write taints: [gpu=true:NoSchedule]",
	},
	{
		[]string{KindMachine, KindContainer},
		regexp.MustCompile(`^spec\.(labels|annotations)$`),
		"unknown field: labels and annotations of the claim are in metadata, and tags of the guest in Proxmox are tags: [web]",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.(labels|annotations|taints)$`),
		"unknown field: labels and taints of the Kubernetes Node are k3s: {labels: {tier: db}, taints: [gpu=true:NoSchedule]}, those of the claim are in metadata, and " +
			"tags of the VM in Proxmox are tags: [web]",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.pool$`),
		"unknown field: a pool of Proxmox is proxmox: {pool: infra}, and an address out of the pool of the site is network: {pool: true}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(full|fullClone|full_clone|linkedClone|linked_clone)$`),
		"unknown field: each VM is a whole copy of its image or template, and never a linked clone: remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(os_type|osType|ostype|operating_system|operatingSystem|` +
			`boot|bootOrder|boot_order|bootdisk|efiDisk|efi_disk|efidisk\d*|format|diskFormat|disk_format)$`),
		"unknown field: the function decides it: the VM boots from its image, and has a disk for the settings of UEFI with firmware: {type: UEFI}; remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(devices\.pci\[\d+\]\.(mdev|mdevType|mdev_type|vgpu|profile)|devices\.vgpus?|vgpus?|mdev)$`),
		"unknown field: a claim passes a whole device through, and asks for no vGPU of it. With SR-IOV, make a mapping of virtual functions, which are devices of their own: " +
			"devices: {pci: [{mapping: gpu-vf}]}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.devices\.pci\[\d+\]\.(pcie|rombar|romBar|rom_bar|romfile|romFile|rom_file|xvga|xVga|x_vga|primaryGPU|primaryGpu|legacy_igd)$`),
		"unknown field: the function decides it: a device is one of PCI Express where the chipset is q35, has its ROM, and is no display of the VM; remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.vga\.(memory|clipboard|heads|monitors|enabled)$`),
		"unknown field: a display has a type alone, such as vga: {type: virtio}, and the memory that Proxmox gives that type; several monitors and a clipboard are those of SPICE, " +
			"which a person sets in Proxmox. Remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.devices\.usb\[\d+\]\.(usb_?3|speed|version)$`),
		"unknown field: the function decides it: each USB device is at a USB 3 controller, which takes those of USB 2, too; remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.disks\[\d+\]\.(media|cdrom|iso)$`),
		"unknown field: a disk is none of an ISO. A machine that boots from one names it as its image, such as image: local:iso/talos.iso; a further one is inserted in Proxmox, as ide2, and stays there",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.firmware\.(msCert|ms_cert|preEnrolledKeys|pre_enrolled_keys|efiType|efitype)$`),
		"unknown field: the vendors' keys come with secureBoot: true. Those of Microsoft of 2023 are added in Proxmox, while the VM is off (docs/day-two.md, A VM changed in Proxmox)",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(bootstrap\.|network\.)?(ntp|ntpServers?|ntp_servers?|timeServers?|timeservers|chrony)$`),
		"unknown field: it is cloud-init's, and belongs into the cloud-config in bootstrap.userData: ntp: {servers: [192.168.4.1]}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(firmware\.)?(uefi|efi|ovmf|bios|seabios)$`),
		"unknown field: write firmware: {type: UEFI}, or type: BIOS",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.network\.(ethernets|version|renderer|default|additionalDevices|additional_devices)$`),
		"unknown field: it is of netplan or of Cluster API: write network: {ip: 192.168.4.53} or network: {dhcp: true}, with bridge and vlan beside it where they are not " +
			"the site's, and further interfaces as nics: [{bridge: vmbr1}]",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(ansible_\w+|connection)$`),
		"unknown field: it is of an inventory of Ansible: write network: {ip: 192.168.4.53} and bootstrap: {adminUser: ops}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.managementPolic(y|ies)$`),
		"unknown field: it is of the provider's resources, and the function writes it there. To keep what is in Proxmox when the claim is deleted, write " +
			"deletionPolicy: Orphan; to take over what there is, adopt",
	},
	{
		[]string{KindMachine, KindContainer},
		regexp.MustCompile(`^spec\.(restore|restoreFrom|archive|backups?|backupJob|vzdump|pbs)$`),
		"unknown field: a claim neither makes nor restores backups. A backup job of Proxmox takes in the pool that proxmox.pool names, and " +
			"what was restored under a VMID of its own is taken over with adopt",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(lifecycle\.)?(snapshots?|snapshotPolicy|replication)$`),
		"unknown field: a claim makes no snapshots of a VM, and no replication: Proxmox does, by hand or by a job. Whether backup jobs have a disk is bootDisk.backup and " +
			"disks[].backup",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(command|cmd|entrypoint|args|build|depends_on|dependsOn|healthcheck|services|containers|initContainers|workingDir|working_dir)$`),
		"unknown field: it is a container of LXC, with a whole system in it and no single program. Install what runs in it over SSH; for images of Docker, run Docker in it " +
			"(features: {nesting: true}) or in a Machine",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.features\.(docker|podman)$`),
		"unknown field: Docker and Podman run in an unprivileged container with nesting: true",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(bootstrap\.)?(guestAgent|agent|qemuAgent)$`),
		"unknown field of a Container: it has no guest agent, because its node sees into it: remove it",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.disks\[\d+\]\.(name|filesystem|format)$`),
		"unknown field of a Container: a disk is known by its path, and has the file system that Proxmox gives it: write {path: /srv/data, size: 8Gi}",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.disks\[\d+\]\.(acl|quota|replicate|ro|readOnly|read_only|readonly|mount_?[oO]ptions|uid|gid|owner|group|mode)$`),
		"unknown field of a Container: a disk has path, size, storage and backup. Options of a mount point only the node sets; owners are set in the container, once. Remove it",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(dev\d+|tun|gpu|coral|usb\d*|pci|hostpci\d*|devicePassthrough|device_passthrough|passthrough)$|^spec\.features\.(tun|gpu|usb)$`),
		"unknown field: Proxmox lets only root@pam pass devices of the node through to a container, and no API token is root@pam. Set it up on the node " +
			"(`pct set <vmId> --dev0 /dev/net/tun`, or /dev/dri/renderD128,gid=104), and restart the container: it keeps the device",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(size\.)?(cpu\.)?(cpuLimit|cpu_?limit|cpuUnits|cpu_?units|limit|units|limits)$`),
		"unknown field: a container has a number of cores, size: {cores: 2}, and neither limit nor share of them. Set those on the node " +
			"(`pct set <vmId> --cpulimit 1.5`), and the container keeps them",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(clone\w*|cloneFrom|sourceContainer|full)$`),
		"unknown field: a container is made from a template file and never cloned. Clone it in Proxmox, and take the clone over with adopt: {vmId: 153}; or make a template " +
			"of it (`vzdump`, and its archive as a file of vztmpl)",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(bootstrap\.)?(timezone|locale|packages|console|consoles|tty|cmode|debug|terminal)$`),
		"unknown field: Proxmox sets host name, network and the SSH keys of root in a container, and no claim sets more. What is in its system is set over SSH, and its terminals on the " +
			"node (`pct set <vmId> --cmode shell`); the container keeps them",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(operating_system|operatingSystem)$`),
		"unknown field: it is of Terraform: the template is image, and its distribution os: debian",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(user_account|userAccount)$`),
		"unknown field: it is of Terraform: the SSH keys of root are bootstrap: {sshAuthorizedKeys: [...]}, and a claim takes no passwords",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.protection$`),
		"unknown field: whether the claim can be deleted is deletionProtection, and Proxmox's own option proxmox: {protection: true}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.secretStore\.(appRole\.)?(secretI[dD]|secret_id|wrappedToken|wrapped_token|` +
			`wrappingToken|wrapping_token|token|password|username)$`),
		"unknown field: a claim has no secret id and no token: the guest finds its secret id in appRole.secretIDFile, into which a snippet or bootstrap.secrets writes it " +
			"(docs/bootstrap.md). If this one is in Git, destroy it in the store",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.secretStore\.(kubernetes|jwt|oidc|userpass|ldap|auth|authMethod|method)$|` +
			`^spec\.bootstrap\.(vault|openbao|bao|vaultAgent)$`),
		"unknown field: a guest logs in to OpenBao or Vault with AppRole or a certificate: write bootstrap: {secretStore: {address: https://bao.home.arpa:8200, appRole: {roleID: ...}, files: [...]}}, or tls: {}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.secretStore\.(cert|certificate|clientCert|client_cert|clientKey|client_key|certFile|keyFile|certificateFile)$|` +
			`^spec\.bootstrap\.secretStore\.tls\.(cert|certFile|cert_file|crt|client_cert|clientCert|certificate|key|key_file|client_key|clientKey|name)$`),
		"unknown field: the certificate with which the guest logs in is in its files, and not in the claim: tls: {role: NAME, certificateFile: /etc/machine-secrets/tls.crt, keyFile: /etc/machine-secrets/tls.key}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.secretStore\.(refreshInterval|refresh_interval|interval|schedule|every|period|cron|` +
			`onCalendar|ttl|renew|rotate|rotation)$`),
		"unknown field: how often the guest fetches again is refresh: 12h, with tls",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.secretStore\.(files\[\d+\]\.)?(restarts|restartUnits|restart_units|units|services|reload|reloadUnits|command|exec)$`),
		"unknown field: the services that are restarted when a refresh has replaced a file are restart: [myapp.service] of the file",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.secretStore\.(skipVerify|tlsSkipVerify|skip_verify|tls_skip_verify|insecure|caCert|ca_cert|ca|caBundle|caFile)$`),
		"unknown field: the guest always checks the server's certificate; that of an authority of your own is caCertificate, as PEM",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.secretStore\.(url|server|endpoint|host|vaultAddr|addr)$`),
		"unknown field: the address of the server is address: https://bao.home.arpa:8200",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.secretStore\.(mount|(appRole\.)?(path|mountPath|mount_path|authPath|auth_path|engine|kv))$`),
		"unknown field: the path of the auth method is appRole.mount, without auth/ in front, and that of secrets stands in each file: files: [{path: /etc/myapp/password, mount: secret, secret: myapp, field: password}]",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.bootstrap\.secretStore\.files\[\d+\]\.(key|property|name|value)$`),
		"unknown field: a file is written from one field of a secret: {path: /etc/myapp/password, secret: myapp, field: password}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(import|imported|existing|takeOver)$`),
		"unknown field: a guest that exists is taken over with adopt: {vmId: 104}; `kubectl machine adopt` writes the claim",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.(antiAffinity|podAntiAffinity|antiAffinityGroup|affinityGroup|topologySpreadConstraints)$`),
		"unknown field: new guests with one word in proxmox.spread part on the nodes of Proxmox: proxmox: {spread: dns}",
	},
	{
		[]string{KindMachine, KindK3sNode, KindContainer},
		regexp.MustCompile(`^spec\.lifecycle\.(ignoreChanges|ignore_changes|ignoreDifferences|` +
			`createBeforeDestroy|create_before_destroy|replaceTriggeredBy|replace_triggered_by)$`),
		"unknown field: it is of Terraform. What a claim does not say, an adopted guest keeps; a guest is replaced only when lifecycle.replace has a new value, and what an edit does `kubectl " +
			"machine plan` says before",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.ha\.(failback|comment|type|sid|nofailback|migrate|maxRestarts|maxRelocates|` +
			`(?i:restarts?|relocates?|relocations?|retries|attempts|max_?retries|max_?attempts))$`),
		"unknown field: a claim has enabled, maxRestart and maxRelocate: write ha: {enabled: true, maxRestart: 3}. The rest is Proxmox's own, and an entry that was there before keeps its " +
			"comment, its group and its failback: remove it",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(arch|architecture)$`),
		"unknown field: a container has the architecture of its template: remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(proxmox\.)?(?i:high_?availability|ha_?enabled|ha_?state|ha_?managed|enable_?ha)$`),
		"unknown field: Proxmox's high availability is ha: {enabled: true}, and whether the VM runs is power, with it, too",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.ha\.state$`),
		"unknown field: whether the VM runs is power, under high availability, too: write ha: {enabled: true}, and power: Running or Stopped. The state " +
			"ignored, in which HA leaves the VM alone, is ha: {enabled: false}",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(topology|clusterTopology|nodePools|node_pools|pools|machineDeployments|machinePools)$`),
		"unknown field: a cluster is its servers and its pools of agents: write servers: {count: 3, class: small} and agents: [{name: worker, count: 2, class: small}]",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(upgradeStrategy|updateStrategy|rolloutStrategy|rollingUpdate|strategy|upgradePolicy|upgrade_strategy|update_strategy)$`),
		"unknown field: nodes change one after another, and rollout says when and how many agents at once: write rollout: {maxUnavailable: 1}; upgrade says who replaces K3s in nodes that run: " +
			"None, SystemUpgrade or Replace",
	},
	{
		[]string{KindK3sCluster, KindK3sNode},
		regexp.MustCompile(`^spec\.(k3s\.)?(cni|cniPlugin|cilium|calico|flannel|networkPlugin)$`),
		"unknown field: K3s brings flannel. For another one, write it into the cluster of the catalogue, clusters: {home: {config: {flannel-backend: none, " +
			"disable-network-policy: true}}}, and install it in the cluster",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(controlPlaneEndpoint|apiEndpoint|apiServer|server|url|vip|virtualIP|virtualIp|loadBalancer)$`),
		"unknown field: the address at which nodes join is endpoint: https://k3s.home.arpa:6443, with the name or the address of a load balancer or a virtual IP that " +
			"there is; with one server, the server's own",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.((servers|agents\[\d+\])\.)?((?i:tls_?sans?|certSANs|apiServerSANs|additionalSANs))$`),
		"unknown field: further names of the API server stand in its pool: servers: {template: {k3s: {tlsSANs: [k3s.home.arpa]}}}; the host of endpoint is one already",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(labels|taints|nodeLabels|nodeTaints|node_labels|node_taints)$`),
		`unknown field: a pool has its own: write servers: {count: 3, labels: {tier: web}, taints: ["gpu=true:NoSchedule"]}, and the same in each of agents`,
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(machineTemplate|template|infrastructureRef|controlPlaneRef|kubeadmConfigSpec|kthreesConfigSpec)$`),
		"unknown field: what all nodes of a pool have stands in its template: servers: {count: 3, class: small, template: {proxmox: {site: home}}}",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(servers|agents\[\d+\])\.(size|cores|memory|disk|cpu|proxmox|network|bootstrap|storage|datastore|tags|firewall|` +
			`power|hostname|ha|nics|notes|onBoot|bootDisk|firmware|startup|vga|numSockets|numCores|memoryMiB|machineClass|machineTemplate)$`),
		"unknown field: a pool has count, class and image, and in template what else a K3sNode can have: servers: {count: 3, template: {size: {memory: 8Gi}, " +
			"proxmox: {storage: local-zfs}}}",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.((servers|agents\[\d+\])\.)?(templateID|templateId|template_id|templateSelector|sourceNode|source_node)$`),
		"unknown field: what the VMs of a pool are made of is its image, which may be a template, by its name in the catalogue: servers: " +
			"{count: 3, image: debian-13}",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(allowedNodes|targetNodes|proxmoxNodes|hosts)$`),
		"unknown field: the nodes of a pool are spread over the Proxmox nodes of the site, and nodes names that of one: nodes: [{name: server-0, proxmoxNode: pve}]",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(ipv[46]Config|ipPool|addresses|dnsServers|dns|gateway|network)$`),
		"unknown field: the address of a node stands in nodes, by its name: nodes: [{name: server-0, ip: 192.168.4.61}]; gateway and name servers are those of the " +
			"site in the catalogue",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.(servers|agents\[\d+\])\.(ips?|addresses|node|nodes|hosts?|vmIds?|vmid|macs?|machines)$`),
		"unknown field: what one node has alone stands in nodes, by its name: nodes: [{name: server-0, ip: 192.168.4.61, proxmoxNode: pve}]",
	},
	{
		[]string{KindK3sCluster},
		regexp.MustCompile(`^spec\.servers\.name$`),
		"unknown field: the pool of servers has no name of its own: its nodes are server-0, server-1 and so on; remove it",
	},
	{
		// Of a pool's template, whose fields are read as those of a K3sNode.
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.(spec|metadata)$`),
		"unknown field: here are the fields of a K3sNode's spec themselves, such as size: {memory: 8Gi}: without metadata, and without a spec around them",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.(bridges|vlans)$`),
		"unknown field: each node has its own: write nodes: {pve: {bridges: [{name: vmbr1}], vlans: [{interface: vmbr0, tag: 100}]}}",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.(bridges|vlans)\[\d+\]\.(vids|bridge_vids|bridgeVids|` +
			`stp|fd|bridge_stp|bridge_fd|bond_m\w+|bond_x\w+|hwaddress|dns_\w+|` +
			`autostart|method|routes?|post_?up|pre_?up|up)$`),
		"unknown field: an interface has ports or a tag, addresses, mtu and comment, and a bridge vlanAware, for all tags. What else somebody sets in Proxmox stays: remove it",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.(bridges|vlans)\[\d+\]\.(type|kind|ovs\w*)$`),
		"unknown field: bridges are Linux bridges, and the provider makes none of Open vSwitch: make it in Proxmox (System, Network), and name it in the catalogue's bridges and in claims; here, remove it",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.vlans\[\d+\]\.(vlan_raw_device|raw_device|device|link|iface|parent)$`),
		"unknown field: what a VLAN interface is on is interface, and its own name follows from the tag: write {interface: vmbr0, tag: 100} for vmbr0.100",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.bridges\[\d+\]\.(iface|bridge|id|bridge_vlan_aware|vlan_aware|vlan_filtering)$`),
		"unknown field: the name of a bridge is name, and whether it takes VLAN tags vlanAware: write {name: vmbr1, vlanAware: true}",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.(auto|iface|eth\d*|en\w+|vmbr\w*)$`),
		"unknown field: bridges of a node are a list: write bridges: [{name: vmbr1, ports: [enp2s0]}]. All else of /etc/network/interfaces is set up in Proxmox itself",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.vlans\[\d+\]\.(id|vlan|vlanId|vlan_id|vid|vlan_tag)$`),
		"unknown field: the tag of a VLAN interface is tag: write {interface: vmbr0, tag: 100}",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.bridges\[\d+\]\.(bridge_ports|bridgePorts|port|slaves|bond_slaves|interfaces?)$`),
		"unknown field: what a bridge is joined with is ports: write {name: vmbr1, ports: [enp2s0]}",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.pools\[\d+\]\.(poolid|poolId|pool_id|id)$`),
		"unknown field: the name of a pool is name: write {name: k3s}",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.pools\[\d+\]\.(members|vms|guests|storages?)$`),
		"unknown field: a pool has its name and a comment. A guest is in the pool that its claim names, proxmox: {pool: k3s}; members that somebody adds in Proxmox stay",
	},
}
