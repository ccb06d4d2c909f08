# What app01 may read, and nothing else. KV version 2 has data/ in the paths of its API.
path "secret/data/app01" {
  capabilities = ["read"]
}
