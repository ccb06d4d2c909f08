module github.com/homelab-io/function-proxmox-machine/tools/runtimeimage

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/go-containerregistry v0.21.9
	sigs.k8s.io/yaml v1.6.0
)

require (
	github.com/klauspost/compress v1.19.1 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	go.yaml.in/yaml/v2 v2.4.4 // indirect
)
