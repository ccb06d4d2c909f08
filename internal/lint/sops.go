package lint

// isEncrypted says whether SOPS has encrypted an object, and adds the only fault that there is to tell: nothing of it can be judged.
func (l *linter) isEncrypted(o object) bool {
	sops, ok := o.value["sops"].(map[string]any)
	if !ok || sops["mac"] == nil {
		return false
	}

	l.addAtKey(o, "sops", "is encrypted with SOPS: decrypt it first, for instance with `sops -d FILE | kubectl machine lint -f -`; Flux decrypts it when it applies it", Error)

	return true
}
