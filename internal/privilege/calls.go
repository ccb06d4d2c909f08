package privilege

import (
	"net/http"
	"slices"
)

// The files of Proxmox VE that check privileges.
const (
	sourceQemu     = "qemu-server: src/PVE/API2/Qemu.pm"
	sourceFirewall = "pve-firewall: src/PVE/API2/Firewall/VM.pm, src/PVE/API2/Firewall/Rules.pm"
	sourceLXC      = "pve-container: src/PVE/API2/LXC.pm, src/PVE/API2/LXC/Config.pm, src/PVE/LXC.pm (check_ct_modify_config_perm)"
	sourceLXCState = "pve-container: src/PVE/API2/LXC/Status.pm"
	sourceAgent    = "qemu-server: src/PVE/API2/Qemu/Agent.pm"
	sourceContent  = "pve-storage: src/PVE/API2/Storage/Content.pm, src/PVE/Storage.pm (check_volume_access)"
	sourceStorage  = "pve-storage: src/PVE/API2/Storage/Config.pm"
	sourceStatus   = "pve-storage: src/PVE/API2/Storage/Status.pm"
	sourceNodes    = "pve-manager: PVE/API2/Nodes.pm"
	sourceNetwork  = "pve-manager: PVE/API2/Network.pm"
	sourceCluster  = "pve-manager: PVE/API2/Cluster.pm"
	sourceTasks    = "pve-manager: PVE/API2/Tasks.pm"
	sourcePools    = "pve-manager: PVE/API2/Pool.pm; pve-access-control: src/PVE/RPCEnvironment.pm (check_perm_modify)"
	sourceHA       = "pve-ha-manager: src/PVE/API2/HA/Resources.pm"
	sourceVersions = "pve-manager: PVE/API2.pm"
)

// vms needs privileges on the VMs, for any machine.
func vms(privileges ...string) Need { return Need{Place: PlaceVMs, Privileges: privileges} }

// agent is what reads the guest agent. The privilege VM.Monitor was split and is gone from Proxmox VE 9.0 on: pve-access-control 9.0,
// "privileges: drop VM.Monitor".
func agent() []Need {
	return []Need{
		{Place: PlaceVMs, Privileges: []string{"VM.GuestAgent.Audit"}, Since: 9},
		{Place: PlaceVMs, Privileges: []string{"VM.Monitor"}, Before: 9},
	}
}

// config are the privileges that options of a VM take, in check_vm_modify_config_perm, check_storage_access, check_bridge_access, check_hostpci_perm
// and check_usb_perm of Qemu.pm, check_drive_perms of an edit, and assert_tag_permissions of pve-guest-common: src/PVE/GuestHelpers.pm.
func config() []Need {
	return []Need{
		vms("VM.Config.CPU"),       // cores, cpu, cpulimit, cpuunits, numa, sockets
		vms("VM.Config.Memory"),    // memory, balloon, shares
		vms("VM.Config.HWType"),    // machine, scsihw, smbios1, vga, hotplug, tablet, acpi, rng0, serial<n>; hostpci<n>, usb<n>
		vms("VM.Config.Options"),   // name, description, tags, agent, bios, onboot, ostype, protection, startup, keyboard
		vms("VM.Config.Disk"),      // boot, and disks that an edit adds or changes
		vms("VM.Config.CDROM"),     // an edit of the cloud-init drive takes both
		vms("VM.Config.Cloudinit"), // cicustom, ciuser, sshkeys, nameserver, searchdomain, ipconfig<n>
		vms("VM.Config.Network"),   // net<n>
		{Place: PlaceDisks, Privileges: []string{"Datastore.AllocateSpace"}},
		{Place: PlaceFiles, Privileges: []string{"Datastore.Audit"}, Use: UseImages},  // import-from
		{Place: PlaceFiles, Privileges: []string{"Datastore.Audit"}, Use: UseVolumes}, // import-from, and an installer in the CD drive
		{Place: PlaceNetwork, Privileges: []string{"SDN.Use"}},
		{Place: PlaceMapping, Privileges: []string{"Mapping.Use"}, Use: UseDevices},
		{Place: PlaceRoot, Privileges: []string{"Sys.Modify"}, Use: UseHostOption},
		{Place: PlaceNodes, Privileges: []string{"Sys.Audit"}, Use: UseCustomCPU},
	}
}

// siteNetwork changes the network of a node. To wait for the reload takes no privilege: it is a task of the token's own.
func siteNetwork() []Need {
	return []Need{{Place: PlaceNodes, Privileges: []string{"Sys.Modify"}, Use: UseSiteNetwork}}
}

// sitePools creates and deletes pools, and reads them.
func sitePools() []Need {
	return []Need{{Place: PlacePool, Privileges: []string{"Pool.Allocate", "Pool.Audit"}, Use: UseSitePools}}
}

// containerConfig are the privileges that options of a container take, in check_ct_modify_config_perm and check_bridge_access of pve-container,
// src/PVE/LXC.pm. Devices, hook scripts, mount points that are no volumes, and features beside nesting are root@pam's alone: the function renders none.
func containerConfig() []Need {
	return []Need{
		vms("VM.Config.CPU"),     // cores, cpulimit, cpuunits
		vms("VM.Config.Memory"),  // memory, swap
		vms("VM.Config.Options"), // arch, console, description, onboot, ostype, protection, startup, tty, unprivileged
		vms("VM.Config.Disk"),    // rootfs, mp<n>
		vms("VM.Config.Network"), // net<n>, nameserver, searchdomain, hostname
		vms("VM.Allocate"),       // features: nesting
		{Place: PlaceDisks, Privileges: []string{"Datastore.AllocateSpace"}},
		{Place: PlaceNetwork, Privileges: []string{"SDN.Use"}},
	}
}

// highAvailability moves a VM that is under high availability.
func highAvailability(privilege string) []Need {
	return []Need{{Place: PlaceRoot, Privileges: []string{privilege}, Use: UseHAMigrated}}
}

// haResource reads or changes what the HA manager does for a VM.
func haResource(privilege string) Need {
	return Need{Place: PlaceRoot, Privileges: []string{privilege}, Use: UseHA}
}

// pool reads or changes the members of a pool. Whoever has VM.Allocate on a VM may change its pool.
func pool(privilege string) []Need {
	return []Need{{Place: PlacePool, Privileges: []string{privilege}, Use: UsePools}}
}

// Calls is every call that the provider makes for a machine. A call of the plugin without a row here fails the provider suite.
var Calls = slices.Concat([]Call{ //nolint:gochecknoglobals // A constant table.
	{Method: http.MethodGet, Path: "/version", For: "knows what this Proxmox VE supports", Source: sourceVersions},
	{
		// A VM without VM.Audit is left out of the answer, so its VMID would look free.
		Method: http.MethodGet, Path: "/cluster/resources", Needs: []Need{vms("VM.Audit")}, For: "checks a VMID, and finds the node of a VM", Source: sourceCluster,
	},
	{Method: http.MethodGet, Path: "/cluster/nextid", For: "has Proxmox choose a VMID", Source: sourceCluster},
	{Method: http.MethodGet, Path: "/nodes/{node}/network", For: "finds the node's address for SSH", Source: sourceNetwork},
	{
		// Sys.Audit and Sys.Modify on / are enough, too, and much more.
		Method: http.MethodGet, Path: "/nodes/{node}/query-url-metadata", For: "asks for the size of an image before the node downloads it", Source: sourceNodes,
		Needs: []Need{{Place: PlaceNodes, Privileges: []string{"Sys.AccessNetwork"}, Use: UseImages}},
	},
	{Method: http.MethodGet, Path: "/nodes/{node}/tasks/{upid}/status", For: "waits for its own tasks", Source: sourceTasks},
	{Method: http.MethodGet, Path: "/nodes/{node}/tasks/{upid}/log", For: "reads why its own task failed", Source: sourceTasks},
	{Method: http.MethodDelete, Path: "/nodes/{node}/tasks/{upid}", For: "stops its own task that takes too long", Source: sourceTasks},

	{
		Method: http.MethodGet, Path: "/storage/{storage}", For: "finds the folder of snippets on the node", Source: sourceStorage,
		Needs: []Need{{Place: PlaceFiles, Privileges: []string{"Datastore.Allocate"}, Use: UseSnippets}},
	},
	{
		// The list leaves out a snippet that the token may not read: the provider then takes it for gone. The list itself takes Datastore.Audit or
		// Datastore.AllocateSpace, which Datastore.Allocate does not include.
		Method: http.MethodGet, Path: "/nodes/{node}/storage/{storage}/content", For: "looks whether an image or a snippet is there", Source: sourceContent,
		Needs: []Need{
			{Place: PlaceFiles, Privileges: []string{"Datastore.Audit"}, Use: UseImages},
			{Place: PlaceFiles, Privileges: []string{"Datastore.Allocate", "Datastore.Audit"}, Use: UseSnippets},
		},
	},
	{
		Method: http.MethodGet, Path: "/nodes/{node}/storage/{storage}/content/{volume...}", For: "reads the format of a disk", Source: sourceContent,
		Needs: []Need{{Place: PlaceDisks, Privileges: []string{"Datastore.Audit"}}, vms("VM.Config.Disk")},
	},
	{
		// For every content but backups: check of method delete.
		Method: http.MethodDelete, Path: "/nodes/{node}/storage/{storage}/content/{volume...}", For: "deletes a snippet", Source: sourceContent,
		Needs: []Need{{Place: PlaceFiles, Privileges: []string{"Datastore.Allocate"}, Use: UseSnippets}},
	},
	{
		Method: http.MethodGet, Path: "/nodes/{node}/storage/{storage}/status", For: "looks whether a template's datastore is shared", Source: sourceStatus,
		Needs: []Need{{Place: PlaceDisks, Privileges: []string{"Datastore.Audit"}, Use: UseTemplates}},
	},
	{
		Method: http.MethodPost, Path: "/nodes/{node}/storage/{storage}/download-url", For: "has the node download an image", Source: sourceStatus,
		Needs: []Need{
			{Place: PlaceFiles, Privileges: []string{"Datastore.AllocateTemplate"}, Use: UseImages},
			{Place: PlaceNodes, Privileges: []string{"Sys.AccessNetwork"}, Use: UseImages},
		},
	},

	{Method: http.MethodPost, Path: "/nodes/{node}/qemu", Needs: append(config(), vms("VM.Allocate")), For: "creates a VM", Source: sourceQemu},
}, firewallCalls("qemu", "VM"), []Call{
	{Method: http.MethodGet, Path: "/nodes/{node}/qemu/{vmid}/config", Needs: []Need{vms("VM.Audit")}, For: "reads a VM", Source: sourceQemu},
	{Method: http.MethodGet, Path: "/nodes/{node}/qemu/{vmid}/status/current", Needs: []Need{vms("VM.Audit")}, For: "reads whether a VM runs", Source: sourceQemu},
	{Method: http.MethodPut, Path: "/nodes/{node}/qemu/{vmid}/config", Needs: config(), For: "changes a VM", Source: sourceQemu},
	{Method: http.MethodPost, Path: "/nodes/{node}/qemu/{vmid}/config", Needs: config(), For: "changes a VM's disks", Source: sourceQemu},
	{
		Method: http.MethodPut, Path: "/nodes/{node}/qemu/{vmid}/cloudinit", Needs: []Need{vms("VM.Config.Cloudinit")},
		For: "writes the cloud-init drive again", Source: sourceQemu,
	},
	{Method: http.MethodPut, Path: "/nodes/{node}/qemu/{vmid}/resize", Needs: []Need{vms("VM.Config.Disk")}, For: "grows a disk", Source: sourceQemu},
	{
		Method: http.MethodPost, Path: "/nodes/{node}/qemu/{vmid}/move_disk", For: "moves a disk of a clone to its datastore", Source: sourceQemu,
		Needs: []Need{vms("VM.Config.Disk"), {Place: PlaceDisks, Privileges: []string{"Datastore.AllocateSpace"}}},
	},
	{
		Method: http.MethodPost, Path: "/nodes/{node}/qemu/{vmid}/clone", For: "clones a template", Source: sourceQemu,
		Needs: []Need{
			{Place: PlaceVMs, Privileges: []string{"VM.Clone"}, Use: UseTemplates},
			vms("VM.Allocate"),
			{Place: PlaceDisks, Privileges: []string{"Datastore.AllocateSpace"}},
		},
	},
	{
		Method: http.MethodPost, Path: "/nodes/{node}/qemu/{vmid}/migrate", For: "moves a VM to another node", Source: sourceQemu,
		Needs: []Need{{Place: PlaceVMs, Privileges: []string{"VM.Migrate"}, Use: UseMigration}},
	},
	{Method: http.MethodDelete, Path: "/nodes/{node}/qemu/{vmid}", Needs: []Need{vms("VM.Allocate")}, For: "deletes a VM with its disks", Source: sourceQemu},
	{Method: http.MethodPost, Path: "/nodes/{node}/qemu/{vmid}/status/start", Needs: []Need{vms("VM.PowerMgmt")}, For: "starts a VM", Source: sourceQemu},
	{Method: http.MethodPost, Path: "/nodes/{node}/qemu/{vmid}/status/stop", Needs: []Need{vms("VM.PowerMgmt")}, For: "stops a VM", Source: sourceQemu},
	{Method: http.MethodPost, Path: "/nodes/{node}/qemu/{vmid}/status/shutdown", Needs: []Need{vms("VM.PowerMgmt")}, For: "shuts a VM down", Source: sourceQemu},
	{Method: http.MethodPost, Path: "/nodes/{node}/qemu/{vmid}/status/reboot", Needs: []Need{vms("VM.PowerMgmt")}, For: "restarts a VM", Source: sourceQemu},
	{
		Method: http.MethodGet, Path: "/nodes/{node}/qemu/{vmid}/agent/network-get-interfaces", Needs: agent(),
		For: "asks the guest agent for the VM's addresses", Source: sourceAgent,
	},
	{Method: http.MethodPost, Path: "/nodes/{node}/qemu/{vmid}/agent/ping", Needs: agent(), For: "asks whether the guest agent answers", Source: sourceAgent},

	{
		// The template is a volume that the token has to be able to read.
		Method: http.MethodPost, Path: "/nodes/{node}/lxc", For: "creates a container", Source: sourceLXC,
		Needs: append(containerConfig(), Need{Place: PlaceFiles, Privileges: []string{"Datastore.Audit"}, Use: UseImages}),
	},
}, firewallCalls("lxc", "container"), []Call{
	{Method: http.MethodGet, Path: "/nodes/{node}/lxc/{vmid}/config", Needs: []Need{vms("VM.Audit")}, For: "reads a container", Source: sourceLXC},
	{Method: http.MethodPut, Path: "/nodes/{node}/lxc/{vmid}/config", Needs: containerConfig(), For: "changes a container", Source: sourceLXC},
	{
		Method: http.MethodPut, Path: "/nodes/{node}/lxc/{vmid}/resize", For: "grows the root file system of a container", Source: sourceLXC,
		Needs: []Need{vms("VM.Config.Disk"), {Place: PlaceDisks, Privileges: []string{"Datastore.AllocateSpace"}}},
	},
	{
		Method: http.MethodGet, Path: "/nodes/{node}/lxc/{vmid}/interfaces", Needs: []Need{vms("VM.Audit")},
		For: "reads the addresses of a container", Source: sourceLXC,
	},
	{Method: http.MethodDelete, Path: "/nodes/{node}/lxc/{vmid}", Needs: []Need{vms("VM.Allocate")}, For: "deletes a container with its disks", Source: sourceLXC},
	{
		Method: http.MethodGet, Path: "/nodes/{node}/lxc/{vmid}/status/current", Needs: []Need{vms("VM.Audit")},
		For: "reads whether a container runs", Source: sourceLXCState,
	},
	{
		Method: http.MethodPost, Path: "/nodes/{node}/lxc/{vmid}/status/start", Needs: []Need{vms("VM.PowerMgmt")},
		For: "starts a container", Source: sourceLXCState,
	},
	{
		Method: http.MethodPost, Path: "/nodes/{node}/lxc/{vmid}/status/shutdown", Needs: []Need{vms("VM.PowerMgmt")},
		For: "shuts a container down", Source: sourceLXCState,
	},

	// Without Pool.Audit the list lacks the pool, and the provider puts the VM into it again and again.
	{Method: http.MethodGet, Path: "/pools", Needs: pool("Pool.Audit"), For: "reads the pool of a VM", Source: sourcePools},
	{Method: http.MethodPut, Path: "/pools", Needs: append(pool("Pool.Allocate"), vms("VM.Allocate")), For: "moves a VM to another pool", Source: sourcePools},
	{Method: http.MethodPost, Path: "/pools", Needs: sitePools(), For: "creates a pool of a `ProxmoxSite`", Source: sourcePools},
	{Method: http.MethodDelete, Path: "/pools", Needs: sitePools(), For: "deletes a pool of a `ProxmoxSite`, if it has no members", Source: sourcePools},

	{Method: http.MethodPost, Path: "/nodes/{node}/network", Needs: siteNetwork(), For: "creates an interface of a `ProxmoxSite`", Source: sourceNetwork},
	{Method: http.MethodPut, Path: "/nodes/{node}/network", Needs: siteNetwork(), For: "reloads the network of a node, with all that is staged there", Source: sourceNetwork},
	{Method: http.MethodPut, Path: "/nodes/{node}/network/{iface}", Needs: siteNetwork(), For: "changes an interface of a `ProxmoxSite`", Source: sourceNetwork},
	{
		Method: http.MethodDelete, Path: "/nodes/{node}/network/{iface}", Needs: siteNetwork(), For: "deletes an interface of a `ProxmoxSite`", Source: sourceNetwork,
	},

	{
		Method: http.MethodGet, Path: "/cluster/ha/resources/{sid}", Source: sourceHA, For: "looks whether, and how, a VM is under high availability",
		Needs: []Need{{Place: PlaceRoot, Privileges: []string{"Sys.Audit"}, Use: UseMigration}, haResource("Sys.Audit")},
	},
	{
		Method: http.MethodPost, Path: "/cluster/ha/resources/{sid}/migrate", Needs: highAvailability("Sys.Console"), Source: sourceHA,
		For: "moves a running VM that is under high availability",
	},
	{
		Method: http.MethodDelete, Path: "/cluster/ha/resources/{sid}", Needs: append(highAvailability("Sys.Console"), haResource("Sys.Console")), Source: sourceHA,
		For: "takes a VM out of high availability, also a stopped one before it moves",
	},
	{
		Method: http.MethodPost, Path: "/cluster/ha/resources", Needs: append(highAvailability("Sys.Console"), haResource("Sys.Console")), Source: sourceHA,
		For: "puts a VM under high availability, also one that has moved",
	},
	{
		Method: http.MethodPut, Path: "/cluster/ha/resources/{sid}", Needs: []Need{haResource("Sys.Console")}, Source: sourceHA,
		For: "changes what the HA manager does for a VM",
	},
})

// firewallCalls are those for the own firewall of a guest, which are the same for both kinds: kind as it is in paths, qemu or lxc, and guest as people call it.
func firewallCalls(kind, guest string) []Call {
	firewall := "/nodes/{node}/" + kind + "/{vmid}/firewall"

	return []Call{
		{
			Method: http.MethodGet, Path: firewall + "/options", For: "reads the options of a " + guest + "'s firewall",
			Needs: []Need{vms("VM.Audit")}, Source: sourceFirewall,
		},
		{
			Method: http.MethodPut, Path: firewall + "/options", For: "switches a " + guest + "'s firewall, and writes its policies",
			Needs: []Need{vms("VM.Config.Network")}, Source: sourceFirewall,
		},
		{
			Method: http.MethodGet, Path: firewall + "/rules", For: "reads the rules of a " + guest + "'s firewall",
			Needs: []Need{vms("VM.Audit")}, Source: sourceFirewall,
		},
		{
			Method: http.MethodPost, Path: firewall + "/rules", For: "adds a rule to a " + guest + "'s firewall",
			Needs: []Need{vms("VM.Config.Network")}, Source: sourceFirewall,
		},
		{
			Method: http.MethodGet, Path: firewall + "/rules/{pos}", For: "reads a rule of a " + guest + "'s firewall",
			Needs: []Need{vms("VM.Audit")}, Source: sourceFirewall,
		},
		{
			Method: http.MethodPut, Path: firewall + "/rules/{pos}", For: "changes or moves a rule of a " + guest + "'s firewall",
			Needs: []Need{vms("VM.Config.Network")}, Source: sourceFirewall,
		},
		{
			Method: http.MethodDelete, Path: firewall + "/rules/{pos}", For: "deletes a rule of a " + guest + "'s firewall",
			Needs: []Need{vms("VM.Config.Network")}, Source: sourceFirewall,
		},
	}
}
