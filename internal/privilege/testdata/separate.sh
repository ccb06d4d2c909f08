# Privileges of the API token crossplane@pve!provider, for Proxmox VE 9: for a shell of root, on one node.
# Run all of it again after an edit of the catalogue: a command that says "already exists" has nothing to do then.

pveum role add CrossplaneVMs
pveum role modify CrossplaneVMs --append 1 --privs "VM.Allocate VM.Audit VM.Config.CDROM VM.Config.CPU VM.Config.Cloudinit VM.Config.Disk VM.Config.HWType VM.Config.Memory VM.Config.Network VM.Config.Options VM.GuestAgent.Audit VM.PowerMgmt"
pveum role add CrossplaneDisks
pveum role modify CrossplaneDisks --append 1 --privs "Datastore.AllocateSpace Datastore.Audit"
pveum role add CrossplaneFiles
pveum role modify CrossplaneFiles --append 1 --privs "Datastore.Allocate Datastore.AllocateTemplate Datastore.Audit"
pveum role add CrossplaneNetwork
pveum role modify CrossplaneNetwork --append 1 --privs "SDN.Use"
pveum role add CrossplaneNodes
pveum role modify CrossplaneNodes --append 1 --privs "Sys.AccessNetwork"
pveum user add crossplane@pve --comment 'machines of Crossplane'
pveum user token add crossplane@pve provider --privsep 1
pveum acl modify /vms --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneVMs
pveum acl modify /storage/local-lvm --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneDisks
pveum acl modify /storage/local --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneFiles
pveum acl modify /sdn/zones/localnetwork --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneNetwork
pveum acl modify /nodes --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneNodes

# For images with a `template`, which nothing uses:
# pveum role modify CrossplaneVMs --append 1 --privs "VM.Clone"

# For `devices`, which nothing uses:
# pveum role add CrossplaneMappings
# pveum role modify CrossplaneMappings --append 1 --privs "Mapping.Use"
# pveum acl modify /mapping/pci/<mapping> --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneMappings

# For `proxmox.pool`, which nothing uses:
# pveum role add CrossplanePools
# pveum role modify CrossplanePools --append 1 --privs "Pool.Allocate Pool.Audit"
# pveum acl modify /pool/<pool> --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplanePools

# For `proxmox.migrate`, which nothing uses:
# pveum role modify CrossplaneVMs --append 1 --privs "VM.Migrate"
# pveum role add CrossplaneCluster
# pveum role modify CrossplaneCluster --append 1 --privs "Sys.Audit"
# pveum acl modify / --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneCluster --propagate 0

# For `proxmox.migrate` of VMs under high availability, which nothing uses:
# pveum role add CrossplaneCluster
# pveum role modify CrossplaneCluster --append 1 --privs "Sys.Console"
# pveum acl modify / --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneCluster --propagate 0

# For `ha`, which nothing uses:
# pveum role add CrossplaneCluster
# pveum role modify CrossplaneCluster --append 1 --privs "Sys.Audit Sys.Console"
# pveum acl modify / --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneCluster --propagate 0

# For `startup`, and `tags` that the datacenter's options restrict, which nothing uses:
# pveum role add CrossplaneCluster
# pveum role modify CrossplaneCluster --append 1 --privs "Sys.Modify"
# pveum acl modify / --users crossplane@pve --tokens 'crossplane@pve!provider' --roles CrossplaneCluster --propagate 0

# For `cpuType: custom-...`, which nothing uses:
# pveum role modify CrossplaneNodes --append 1 --privs "Sys.Audit"

# For interfaces of a `ProxmoxSite`, which nothing uses:
# pveum role modify CrossplaneNodes --append 1 --privs "Sys.Modify"
