package lint

// encrypted is said of an object that SOPS has encrypted: nothing of it can be judged.
const encrypted = "is encrypted with SOPS: decrypt it first, for instance with `sops -d FILE | kubectl machine lint -f -`; Flux decrypts it when it applies it"

// isEncrypted says whether SOPS has encrypted an object.
func isEncrypted(value map[string]any) bool {
	sops, ok := value["sops"].(map[string]any)

	return ok && sops["mac"] != nil
}
