package lint

import "strings"

// mistakesOfReading are files that YAML reads as something else than was typed, and files with what came along when they were copied.
func mistakesOfReading() map[string]mistake {
	const (
		token   = "token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\n"
		cluster = token + "endpoint: https://192.168.4.61:6443\nnodes: [{name: server-0, ip: 192.168.4.61}]\nservers: {count: 1}\n"
	)

	hello := aMachine("proxmox: {node: pve1}\n")
	named := func(name string) string { return strings.Replace(hello, "files01", name, 1) }
	lines := strings.Split(strings.TrimSpace(hello), "\n")

	return map[string]mistake{
		"ReadNo":            {"no, which YAML reads as false, for a name", aMachine("proxmox: {node: no}")},
		"ReadYesTag":        {"yes, a number with a zero at its end and one in base 16 for tags", aMachine("proxmox: {node: pve1}\ntags: [yes, 1.30, 0x1f]")},
		"ReadYesLabel":      {"the same for labels", strings.Replace(hello, "metadata: {", "metadata: {labels: {prod: yes, tier: 010}, ", 1)},
		"ReadHeredoc":       {"a command around it", "cat <<EOF | kubectl apply -f -\n" + hello + "EOF\n"},
		"ReadDiff":          {"lines of a diff", "+" + strings.Join(lines, "\n+") + "\n"},
		"ReadLineNumbers":   {"numbers of lines", "1  " + strings.Join(lines, "\n2  ") + "\n"},
		"ReadMetadataSpec":  {"a spec that is indented too far", "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata:\n  name: a\n  namespace: b\n  spec:\n    class: small\n"},
		"ReadGenerateName":  {"a name that the API server makes", strings.Replace(hello, "name: files01", "generateName: files-", 1)},
		"ReadUmlaut":        {"a letter with dots", named("küche")},
		"ReadLongName":      {"a name that is too long", named(strings.Repeat("a", 70))},
		"ReadSOPS":          {"a value that SOPS has encrypted", aMachine("proxmox: {node: pve1}\nnetwork: {ip: \"ENC[AES256_GCM,data:xx,iv:yy,tag:zz,type:str]\"}")},
		"ReadTerraform":     {"a variable of Terraform", aMachine("proxmox: {node: pve1}\nnetwork: {ip: var.ip}")},
		"ReadLetterAddress": {"an address with a letter for its end", aMachine("proxmox: {node: pve1}\nnetwork: {ip: 192.168.4.x}")},
		"ReadChangeMe":      {"a value to change", aMachine("proxmox: {node: pve1}\nnetwork: {ip: CHANGEME}")},
		"ReadCores":         {"cores with a word", aMachine("proxmox: {node: pve1}\nsize: {cores: 2 vCPU}")},
		"ReadVLANs":         {"two VLANs", aMachine("proxmox: {node: pve1}\nnetwork: {dhcp: true, vlan: [10, 20]}")},
		"ReadMACAlone":      {"a MAC address, and no way to an IP address", aMachine("proxmox: {node: pve1}\nnetwork: {mac: \"BC:24:11:AA:BB:CC\"}")},
		"ReadMACOfProxmox":  {"a MAC address as qm config prints it", aMachine("proxmox: {node: pve1}\nnetwork: {dhcp: true, mac: \"virtio=BC:24:11:AA:BB:CC,bridge=vmbr0\"}")},
		"ReadTabInUserData": {"a tab in cloud-config", aMachine("proxmox: {node: pve1}\nbootstrap: {userData: \"#cloud-config\\npackages:\\n\\t- htop\\n\"}")},
		"ReadReleaseInURL":  {"a release as a URL has it", aCluster(cluster + "version: v1.36.5%2Bk3s1")},
		"ReadTokenLine":     {"a token with the line end of echo", aCluster(cluster+"version: v1.36.5+k3s1") + aToken("data: {token: YWJjZGVmYWJjZGVmYWJjZGVmCg==}")},
		"ReadTokenPlain":    {"a value that is no base64", aCluster(cluster+"version: v1.36.5+k3s1") + aToken("data: {token: my-secret-token!}")},
		"ReadTokenNumber":   {"a number for a token", aCluster(cluster+"version: v1.36.5+k3s1") + aToken("stringData: {token: 123456}")},
		"ReadFluxText":      {"names for objects in a layer of Flux", aLayer("machines", "./", "interval: 10m\nprune: false\ndependsOn: [infra]\nsourceRef: flux-system") + "---\n" + hello},
		"ReadFluxDependsOn": {"one name for a list of them", aLayer("machines", "./", "interval: 10m\nprune: false\ndependsOn: infra") + "---\n" + hello},
	}
}

// aToken is a Secret behind a claim.
func aToken(below string) string {
	return "---\napiVersion: v1\nkind: Secret\nmetadata: {name: k3s-token, namespace: infra-machines}\n" + below + "\n"
}
