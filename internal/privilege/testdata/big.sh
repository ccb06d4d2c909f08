# Privileges of the API token crossplane@pve!provider at site lab, for Proxmox VE 9: for a shell of root, on one node.
# Run all of it again after an edit of the catalogue: a command that says "already exists" has nothing to do then.

pveum role add CrossplaneVMs
pveum role modify CrossplaneVMs --append 1 --privs "VM.Allocate VM.Audit VM.Clone VM.Config.CDROM VM.Config.CPU VM.Config.Cloudinit VM.Config.Disk VM.Config.HWType VM.Config.Memory VM.Config.Network VM.Config.Options VM.GuestAgent.Audit VM.Migrate VM.PowerMgmt"
pveum role add CrossplaneDisks
pveum role modify CrossplaneDisks --append 1 --privs "Datastore.AllocateSpace Datastore.Audit"
pveum role add CrossplaneVolumes
pveum role modify CrossplaneVolumes --append 1 --privs "Datastore.Audit"
pveum role add CrossplaneFiles
pveum role modify CrossplaneFiles --append 1 --privs "Datastore.Allocate Datastore.AllocateTemplate Datastore.Audit"
pveum role add CrossplaneImages
pveum role modify CrossplaneImages --append 1 --privs "Datastore.AllocateTemplate Datastore.Audit"
pveum role add CrossplaneSnippets
pveum role modify CrossplaneSnippets --append 1 --privs "Datastore.Allocate Datastore.Audit"
pveum role add CrossplaneNetwork
pveum role modify CrossplaneNetwork --append 1 --privs "SDN.Use"
pveum role add CrossplaneNodes
pveum role modify CrossplaneNodes --append 1 --privs "Sys.AccessNetwork Sys.Audit Sys.Modify"
pveum role add CrossplaneMappings
pveum role modify CrossplaneMappings --append 1 --privs "Mapping.Use"
pveum role add CrossplanePools
pveum role modify CrossplanePools --append 1 --privs "Pool.Allocate Pool.Audit"
pveum role add CrossplaneCluster
pveum role modify CrossplaneCluster --append 1 --privs "Sys.Audit Sys.Console Sys.Modify"
pveum user add crossplane@pve --comment 'machines of Crossplane'
pveum acl modify /vms --users crossplane@pve --roles CrossplaneVMs
pveum acl modify /storage/ceph --users crossplane@pve --roles CrossplaneDisks
pveum acl modify /storage/local-zfs --users crossplane@pve --roles CrossplaneDisks
pveum acl modify /storage/iso --users crossplane@pve --roles CrossplaneVolumes
pveum acl modify /storage/local --users crossplane@pve --roles CrossplaneFiles
pveum acl modify /storage/nas --users crossplane@pve --roles CrossplaneImages
pveum acl modify /storage/snips --users crossplane@pve --roles CrossplaneSnippets
pveum acl modify /sdn/zones/localnetwork --users crossplane@pve --roles CrossplaneNetwork
pveum acl modify /nodes --users crossplane@pve --roles CrossplaneNodes
pveum acl modify /mapping/pci/gpu --users crossplane@pve --roles CrossplaneMappings
pveum acl modify /mapping/usb/zigbee --users crossplane@pve --roles CrossplaneMappings
pveum acl modify /pool/infra --users crossplane@pve --roles CrossplanePools
pveum acl modify /pool/infra/dns --users crossplane@pve --roles CrossplanePools
pveum acl modify / --users crossplane@pve --roles CrossplaneCluster --propagate 0
pveum user token add crossplane@pve provider --privsep 0
