module github.com/homelab-io/function-proxmox-machine/test/ports

go 1.26.0
