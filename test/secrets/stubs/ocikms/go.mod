module github.com/hashicorp/go-kms-wrapping/wrappers/ocikms/v2

go 1.26.0

require github.com/hashicorp/go-kms-wrapping/v2 v2.0.10

require (
	github.com/hashicorp/go-uuid v1.0.3 // indirect
	google.golang.org/protobuf v1.28.1 // indirect
)
