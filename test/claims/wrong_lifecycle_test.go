package claims

import (
	"strings"
)

func wrongLifecycles() map[string]wrong {
	const word = "must hold only letters, digits, dots, _ and -, and start with a letter or a digit"

	lifecycle := func(l string) string { return aMachine(`{proxmox: {node: pve}, lifecycle: ` + l + `}`) }
	long := strings.Repeat("a", 64)

	return map[string]wrong{
		"ReplaceWithBlank": {reason: "A trigger has no blanks.", claim: lifecycle(`{replace: "please now"}`), xrd: true, want: one("spec.lifecycle.replace", word)},
		"ReplaceWithComma": {reason: "Triggers are kept in a list with commas.", claim: lifecycle(`{replace: "a,b"}`), xrd: true, want: one("spec.lifecycle.replace", word)},
		"ReplaceNumber":    {reason: "A number needs quotes in YAML.", claim: lifecycle(`{replace: 2}`), xrd: true, want: one("spec.lifecycle.replace", "2: must be text: put it in quotes")},
		"ReplaceTruth":     {reason: "A trigger is text that can be told from the next one.", claim: lifecycle(`{replace: true}`), xrd: true, want: one("spec.lifecycle.replace", `true: acts once for each new value, which true and false are not: set a new value, such as today's date in quotes, "2026-11-20"`)},
		"RebootTruth":      {reason: "true stays true, and asks for no second restart.", claim: lifecycle(`{reboot: true}`), xrd: true, want: one("spec.lifecycle.reboot", "acts once for each new value")},
		"RebootTruthWord":  {reason: "Quotes do not make true another value tomorrow.", claim: lifecycle(`{reboot: "true"}`), xrd: true, want: one("spec.lifecycle.reboot", `"true": acts once for each new value`)},
		"DrainWord":        {reason: "YAML of another version reads it as a truth value.", claim: lifecycle(`{drain: "Yes"}`), xrd: true, want: one("spec.lifecycle.drain", `"Yes": acts once for each new value`)},
		"ForceOff":         {reason: "A trigger is not switched off, but left out.", claim: lifecycle(`{force: "off"}`), xrd: true, want: one("spec.lifecycle.force", `"off": acts once for each new value`)},
		"RetryFalse":       {reason: "A trigger is not switched off, but left out.", claim: lifecycle(`{retry: false}`), xrd: true, want: one("spec.lifecycle.retry", "false: acts once for each new value")},
		"ProtectionTwice":  {reason: "Protected or not.", claim: aMachine(`{proxmox: {node: pve}, protection: true, deletionProtection: false}`), xrd: true, want: one("spec.protection", "true: protection is the former spelling of deletionProtection, which is false: remove protection")},
		"ReplaceEmpty":     {reason: "Asking for nothing is leaving it out.", claim: lifecycle(`{replace: ""}`), xrd: true, want: one("spec.lifecycle.replace", "must not be empty")},
		"ReplaceTooLong":   {reason: "63 characters are the limit.", claim: lifecycle(`{replace: ` + long + `}`), xrd: true, want: one("spec.lifecycle.replace", "must be at most 63 characters long")},
		"RebootHyphen":     {reason: "A trigger starts with a letter or a digit.", claim: lifecycle(`{reboot: "-1"}`), xrd: true, want: one("spec.lifecycle.reboot", word)},
		"RebootTemplate":   {reason: "The provider would read the file.", claim: lifecycle(`{reboot: "${file(\"/etc/passwd\")}"}`), xrd: true, want: one("spec.lifecycle.reboot", word)},
		"RebootTooLong":    {reason: "63 characters are the limit.", claim: lifecycle(`{reboot: ` + long + `}`), xrd: true, want: one("spec.lifecycle.reboot", "must be at most 63 characters long")},
		"JoinedBlank":      {reason: "It repeats a trigger.", claim: lifecycle(`{joined: "a b"}`), xrd: true, want: one("spec.lifecycle.joined", word)},
		"JoinedTooLong":    {reason: "63 characters are the limit.", claim: lifecycle(`{joined: ` + long + `}`), xrd: true, want: one("spec.lifecycle.joined", "must be at most 63 characters long")},
		"ForceComma":       {reason: "Triggers are kept in a list with commas.", claim: lifecycle(`{force: "a,b"}`), xrd: true, want: one("spec.lifecycle.force", word)},
		"DrainSpace":       {reason: "The value is a trigger.", claim: lifecycle(`{drain: "now please"}`), xrd: true, want: one("spec.lifecycle.drain", word)},
		"DrainTooLong":     {reason: "63 characters are the limit.", claim: lifecycle(`{drain: ` + long + `}`), xrd: true, want: one("spec.lifecycle.drain", "must be at most 63 characters long")},
		"LostNoNode":       {reason: "It names a Proxmox node.", claim: lifecycle(`{lost: "pve 2"}`), xrd: true, want: one("spec.lifecycle.lost", "must be the name of a Proxmox node")},
		"ForceTooLong":     {reason: "63 characters are the limit.", claim: lifecycle(`{force: ` + long + `}`), xrd: true, want: one("spec.lifecycle.force", "must be at most 63 characters long")},
		"RetryLine":        {reason: "A trigger is one line.", claim: lifecycle(`{retry: "2\n3"}`), xrd: true, want: one("spec.lifecycle.retry", `"2\n3": `+word)},
		"RetryTooLong":     {reason: "63 characters are the limit.", claim: lifecycle(`{retry: ` + long + `}`), xrd: true, want: one("spec.lifecycle.retry", "must be at most 63 characters long")},
		"RebootPolicy": {
			reason: "Two policies.", claim: lifecycle(`{rebootPolicy: Always}`), xrd: true,
			want: one("spec.lifecycle.rebootPolicy", `"Always": supported values: "OnRequest", "WhenNeeded"`),
		},
		"ApprovalWord": {
			reason: "Three words.", claim: lifecycle(`{approval: Sometimes}`), xrd: true,
			want: one("spec.lifecycle.approval", `"Sometimes": supported values: "Never", "OnRisk", "Always"`),
		},
		"ApprovalLowerCase":   {reason: "Values are spelled as they are documented.", claim: lifecycle(`{approval: onRisk}`), xrd: true, want: one("spec.lifecycle.approval", `"onRisk"`)},
		"ApprovalTruth":       {reason: "Which edits wait has to be said.", claim: lifecycle(`{approval: true}`), xrd: true, want: one("spec.lifecycle.approval", "must be text")},
		"ApprovalEmpty":       {reason: "The catalogue's default is that of a field that is left out.", claim: lifecycle(`{approval: ""}`), xrd: true, want: one("spec.lifecycle.approval", "must not be empty")},
		"EditApproveTruth":    {reason: "Nobody approves what is not known yet.", claim: lifecycle(`{approve: true}`), xrd: true, want: one("spec.lifecycle.approve", "must be the value of status.plan.hash")},
		"EditApproveNumber":   {reason: "A hash starts with a letter, so that YAML takes none for a number.", claim: lifecycle(`{approve: 1234567890}`), xrd: true, want: one("spec.lifecycle.approve", "must be text: put it in quotes")},
		"EditApproveShort":    {reason: "A plan is approved whole.", claim: lifecycle(`{approve: d19a0c}`), xrd: true, want: one("spec.lifecycle.approve", `"d19a0c": must be the value of status.plan.hash`)},
		"EditApproveLong":     {reason: "A plan is approved whole.", claim: lifecycle(`{approve: d19a0c71d20}`), xrd: true, want: []fault{{"spec.lifecycle.approve", "must be at most 10 characters long"}, {"spec.lifecycle.approve", "status.plan.hash"}}},
		"EditApproveUpper":    {reason: "Hashes are in lower case.", claim: lifecycle(`{approve: D19A0C71D2}`), xrd: true, want: one("spec.lifecycle.approve", `"D19A0C71D2": must be the value of status.plan.hash: ten digits and letters from a to f, such as "d19a0c71d2": write "d19a0c71d2"`)},
		"EditApproveLine":     {reason: "A line that was copied whole.", claim: lifecycle(`{approve: "fa47d314ef\n"}`), xrd: true, want: one("spec.lifecycle.approve", `such as "d19a0c71d2": write "fa47d314ef"`)},
		"EditApproveName":     {reason: "So is the hash with its name.", claim: lifecycle(`{approve: "hash: fa47d314ef"}`), xrd: true, want: one("spec.lifecycle.approve", `such as "d19a0c71d2": write "fa47d314ef"`)},
		"AdoptApproveBlank":   {reason: "The same of an adoption.", claim: aMachine(`{adopt: {vmId: 108, approve: " c5583fca2b"}}`), xrd: true, want: one("spec.adopt.approve", `such as "3f9a0c71d2": write "c5583fca2b"`)},
		"JoinedTruth":         {reason: "It repeats a trigger.", claim: lifecycle(`{joined: true}`), xrd: true, want: one("spec.lifecycle.joined", "must be the value of replace that led to the VM")},
		"LostTruth":           {reason: "It names a node: in quotes, true would be one that nobody has.", claim: lifecycle(`{lost: true}`), xrd: true, want: one("spec.lifecycle.lost", "must be the name of the Proxmox node that does not come back")},
		"LostTruthWord":       {reason: "The same in quotes.", claim: lifecycle(`{lost: "yes"}`), want: one("spec.lifecycle.lost", `"yes": must be the name of the Proxmox node that does not come back`)},
		"RestartTruth":        {reason: "Who puts the name right would read the other fault then.", claim: lifecycle(`{restart: true}`), xrd: true, want: one("spec.lifecycle.restart", "did you mean spec.lifecycle.reboot? It acts once for each new value")},
		"NodeAddress":         {reason: "The first number of an address is no node.", claim: aMachine(`{proxmox: {node: 10.7.0.2}}`), xrd: true, want: one("spec.proxmox.node", `"10.7.0.2": is an address: must be the name of a Proxmox node`)},
		"EditApproveEmpty":    {reason: "What is not approved yet is left out.", claim: lifecycle(`{approve: ""}`), xrd: true, want: one("spec.lifecycle.approve", "must not be empty")},
		"EditApproveTemplate": {reason: "The provider would read the file.", claim: lifecycle(`{approve: "${file(1)}"}`), xrd: true, want: one("spec.lifecycle.approve", "must be the value of status.plan.hash")},
		"EditApprovedTypo":    {reason: "A typing error is no field.", claim: lifecycle(`{approved: d19a0c71d2}`), xrd: true, want: one("spec.lifecycle.approved", "unknown field; did you mean spec.lifecycle.approve?")},
		"RolloutNoWave":       {reason: "A machine of a group has a wave.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge}}`), xrd: true, want: one("spec.rollout.wave", "such as {group: web, wave: 1}")},
		"RolloutNoGroup":      {reason: "A wave is one of a group.", claim: aMachine(`{proxmox: {node: pve}, rollout: {wave: 2}}`), xrd: true, want: one("spec.rollout.group", "must be the name of the group")},
		"RolloutWaveZero":     {reason: "Waves count from 1.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge, wave: 0}}`), xrd: true, want: one("spec.rollout.wave", "0: must be the machine's wave, from 1 to 100")},
		"RolloutWaveHigh":     {reason: "A hundred are enough.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge, wave: 101}}`), xrd: true, want: one("spec.rollout.wave", "101: must be the machine's wave, from 1 to 100")},
		"RolloutWaveText":     {reason: "A number has no quotes.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge, wave: "2"}}`), xrd: true, want: one("spec.rollout.wave", "must be a whole number")},
		"RolloutName":         {reason: "A group has a plain name.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: "a b", wave: 2}}`), xrd: true, want: one("spec.rollout.group", `"a b": must hold only lower case letters`)},
		"RolloutLong":         {reason: "63 characters are the limit.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: ` + long + `, wave: 2}}`), xrd: true, want: one("spec.rollout.group", "must be at most 63 characters long")},
		"RevisionSpace":       {reason: "A revision is one word.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge, wave: 2, revision: "a b"}}`), xrd: true, want: one("spec.rollout.revision", `"a b": must hold only letters, digits and . _ : / @ + -, and start with a letter or a digit`)},
		"RevisionStart":       {reason: "A word does not start with a hyphen.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge, wave: 2, revision: "-1"}}`), xrd: true, want: one("spec.rollout.revision", "start with a letter or a digit")},
		"RevisionEmpty":       {reason: "A variable that nobody set must not switch the check off.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge, wave: 2, revision: ""}}`), xrd: true, want: one("spec.rollout.revision", "must not be empty")},
		"RevisionLong":        {reason: "63 characters are the limit.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge, wave: 2, revision: ` + long + `}}`), xrd: true, want: one("spec.rollout.revision", "must be at most 63 characters long")},
		"RevisionNumber":      {reason: "A number needs quotes.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge, wave: 2, revision: 202611}}`), xrd: true, want: one("spec.rollout.revision", "must be text")},
		"RevisionVariable":    {reason: "Nobody substituted it.", claim: aMachine(`{proxmox: {node: pve}, rollout: {group: edge, wave: 2, revision: "${REVISION}"}}`), xrd: true, want: one("spec.rollout.revision", "must hold only letters, digits")},
		"RolloutWord":         {reason: "Group and wave have names.", claim: aMachine(`{proxmox: {node: pve}, rollout: edge}`), xrd: true, want: one("spec.rollout", "must be an object with fields")},
		"LifecycleTypo": {
			reason: "A typing error asks for nothing, and is reported.", claim: lifecycle(`{restart: "1"}`), xrd: true,
			want: one("spec.lifecycle.restart", "unknown field; did you mean spec.lifecycle.reboot?"),
		},
		"LifecycleWord":  {reason: "What is asked for has a name.", claim: lifecycle(`replace`), xrd: true, want: one("spec.lifecycle", "must be an object with fields")},
		"ProtectionWord": {reason: "Protected or not.", claim: aMachine(`{proxmox: {node: pve}, protection: "on"}`), xrd: true, want: one("spec.protection", `"on": must be true or false`)},
		"HAMany":         {reason: "The provider accepts up to ten attempts.", claim: aMachine(`{proxmox: {node: pve}, ha: {enabled: false, maxRestart: 11, maxRelocate: 11}}`), xrd: true, want: []fault{{"spec.ha.maxRelocate", "11: must be a whole number from 0 to 10"}, {"spec.ha.maxRestart", "11: must be a whole number from 0 to 10"}}},
		"HANegative":     {reason: "There is no attempt less than none.", claim: aMachine(`{proxmox: {node: pve}, ha: {enabled: false, maxRestart: -1}}`), xrd: true, want: one("spec.ha.maxRestart", "-1: must be a whole number from 0 to 10")},
		"HAWord":         {reason: "On or off.", claim: aMachine(`{proxmox: {node: pve}, ha: {enabled: always}}`), xrd: true, want: one("spec.ha.enabled", `"always": must be true or false`)},
		"HAGroup":        {reason: "The provider cannot write rules, which Proxmox VE 9 has in place of groups.", claim: aMachine(`{proxmox: {node: pve}, ha: {enabled: false, group: k3s}}`), xrd: true, want: one("spec.ha.group", "unknown field")},
		"HAUnmanaged":    {reason: "The HA manager would start what somebody stops.", claim: aMachine(`{image: haos, proxmox: {site: home, node: pve, storage: tank}, ha: {enabled: true}, power: Unmanaged}`), xrd: true, want: one("spec.power", "ha and power: Unmanaged exclude each other")},
		"HAMigrate":      {reason: "The provider would move the VM back.", claim: aMachine(`{image: haos, proxmox: {site: home, node: pve, storage: tank, migrate: true}, ha: {enabled: true}}`), xrd: true, want: one("spec.proxmox.migrate", "ha and proxmox.migrate exclude each other")},
		"HADevices":      {reason: "Devices are their node's.", claim: aMachine(`{image: haos, proxmox: {site: home, node: pve, storage: tank}, ha: {enabled: true}, devices: {pci: [{mapping: gpu0}]}}`), xrd: true, want: one("spec.devices", "ha and devices exclude each other")},
		"HALocal": {
			reason: "All storage is shared, and the faults come back at once, each where its datastore is named.",
			claim:  aMachine(`{image: debian-12, proxmox: {site: home, node: pve}, disks: [{name: data, size: 1Gi, storage: nas}, {name: more, size: 1Gi, storage: local-zfs}], ha: {enabled: true}, bootstrap: {userData: "#cloud-config\n{}\n"}}`),
			want: []fault{
				{"spec.disks[1].storage", `"local-zfs": with ha, data disk 'more' must be on a datastore`},
				{"spec.ha.enabled", `true: with ha, the VM's boot disk and cloud-init drive must be on a datastore that all nodes of the site see, and 'local-zfs' is not among sharedDatastores of site 'home': it has tank, nas`},
				{"spec.ha.enabled", `true: with ha, the VM's cloud-init snippets must be on a datastore that all nodes of the site see`},
			},
		},
		"HAStorage":       {reason: "The field that names the datastore is at fault.", claim: aMachine(`{image: haos, proxmox: {site: home, node: pve, storage: local-zfs}, ha: {enabled: true}}`), want: one("spec.proxmox.storage", `"local-zfs": with ha, the VM's boot disk must be on a datastore`)},
		"HASnippet":       {reason: "Proxmox reads a snippet at every start.", claim: aMachine(`{image: debian-12, proxmox: {site: home, node: pve, storage: tank}, ha: {enabled: true}, bootstrap: {snippets: {userData: "local:snippets/a.yaml"}}}`), want: one("spec.bootstrap.snippets.userData", `"local": with ha, the snippet must be on a datastore`)},
		"HAMedium":        {reason: "The medium stays in the drive.", claim: aMachine(`{image: "local:iso/x.iso", proxmox: {site: home, node: pve, storage: tank}, ha: {enabled: true}}`), want: one("spec.image", `"local": with ha, the installation medium in the VM's CD drive must be on a datastore`)},
		"HAEmpty":         {reason: "On or off has to be said.", claim: aMachine(`{proxmox: {node: pve}, ha: {maxRestart: 2}}`), xrd: true, want: one("spec.ha.enabled", "must be true or false: whether Proxmox's HA manager manages the VM")},
		"HADiskFile":      {reason: "The provider could write it once more.", claim: aMachine(`{image: "nas:iso/x.img", proxmox: {site: home, node: pve, storage: tank}, ha: {enabled: true}}`), want: one("spec.image", `with ha, the image must be a volume of content type import`)},
		"HANothingShared": {reason: "Nobody knows what is shared.", claim: aMachine(`{image: haos, proxmox: {site: bare, node: pve}, ha: {enabled: true}}`), want: one("spec.ha.enabled", `site 'bare' has no sharedDatastores`)},
		"CrossplaneStops": {reason: "Crossplane could not start its own VM again.", claim: aMachine(`{proxmox: {node: pve}, runsCrossplane: true, power: Stopped}`), want: one("spec.power", "Crossplane could not start its own VM again")},
		"PowerLowerCase":  {reason: "Values are spelled as they are documented.", claim: aMachine(`{proxmox: {node: pve}, power: unmanaged}`), xrd: true, want: one("spec.power", `"Unmanaged"`)},
		"MigrateAnywhere": {reason: "A VM is pinned to a node.", claim: aMachine(`{proxmox: {site: home, migrate: true}}`), xrd: true, want: one("spec.proxmox.node", "must be the Proxmox node to which migrate: true pins the VM")},
		"MigrateWord":     {reason: "To move or not to move.", claim: aMachine(`{proxmox: {node: pve, migrate: live}}`), xrd: true, want: one("spec.proxmox.migrate", `"live": must be true or false`)},
		"AvoidName": {
			reason: "A node has a node's name.", claim: aMachine(`{proxmox: {site: home, avoid: [pve, "p v"]}}`), xrd: true,
			want: one("spec.proxmox.avoid[1]", `"p v": must be the name of a Proxmox node`),
		},
		"AvoidTwice": {reason: "Once is enough.", claim: aMachine(`{proxmox: {site: home, avoid: [pve, pve]}}`), xrd: true, want: one("spec.proxmox.avoid[1]", "Duplicate")},
		"AvoidWord":  {reason: "It is a list.", claim: aMachine(`{proxmox: {site: home, avoid: pve}}`), xrd: true, want: one("spec.proxmox.avoid", "must be a list")},
		"SpreadName": {reason: "The group is a label's value.", claim: aMachine(`{proxmox: {site: home, spread: "a b"}}`), xrd: true, want: one("spec.proxmox.spread", `"a b": must hold only lower case letters`)},
		"SpreadLong": {reason: "63 characters are the limit.", claim: aMachine(`{proxmox: {site: home, spread: ` + long + `}}`), xrd: true, want: one("spec.proxmox.spread", "must be at most 63 characters long")},
		"LifecycleAtOnce": {
			reason: "All faults come back at once.", xrd: true,
			claim: aMachine(`{proxmox: {site: home, migrate: true, vmId: 153}, protection: 1, lifecycle: {replace: "a b", reboot: "-", retry: "+"}, adopt: {vmId: 108, approve: yes please}}`),
			want: []fault{
				{"spec.adopt.approve", "must be the value of status.adoption.plan"},
				{"spec.adopt.vmId", "must be the VMID in proxmox.vmId, which is 153"},
				{"spec.lifecycle.reboot", word},
				{"spec.lifecycle.replace", word},
				{"spec.lifecycle.retry", word},
				{"spec.protection", "must be true or false"},
				{"spec.proxmox.node", "pins the VM"},
			},
		},
	}
}

func wrongAdoptions() map[string]wrong {
	const plan = "must be the value of status.adoption.plan: ten digits and letters from a to f"

	adopt := func(a string) string { return aMachine(`{proxmox: {node: pve}, adopt: ` + a + `}`) }

	return map[string]wrong{
		"AdoptNothing":     {reason: "A VM has a number.", claim: adopt(`{}`), xrd: true, want: one("spec.adopt.vmId", "must be the VMID of the VM to adopt")},
		"AdoptPlanAlone":   {reason: "A plan is that of a VM.", claim: adopt(`{approve: "3f9a0c71d2"}`), xrd: true, want: one("spec.adopt.vmId", "must be the VMID of the VM to adopt")},
		"AdoptZero":        {reason: "Proxmox starts at 100.", claim: adopt(`{vmId: 0}`), xrd: true, want: one("spec.adopt.vmId", "from 100 to 999999999")},
		"AdoptTooSmall":    {reason: "Proxmox starts at 100.", claim: adopt(`{vmId: 99}`), xrd: true, want: one("spec.adopt.vmId", "99: must be a whole number from 100 to 999999999")},
		"AdoptTooLarge":    {reason: "Proxmox ends at 999999999.", claim: adopt(`{vmId: 1000000000}`), xrd: true, want: one("spec.adopt.vmId", "must be a whole number from 100 to 999999999")},
		"AdoptName":        {reason: "A VM is known by its number: names are not unique.", claim: adopt(`{vmId: haos}`), xrd: true, want: one("spec.adopt.vmId", `"haos": must be a whole number`)},
		"AdoptNumber":      {reason: "The number has a field of its own.", claim: adopt(`108`), xrd: true, want: one("spec.adopt", "must be an object with fields")},
		"AdoptTypo":        {reason: "A typing error is no field.", claim: adopt(`{vmId: 108, approved: "3f9a0c71d2"}`), xrd: true, want: one("spec.adopt.approved", "unknown field; did you mean spec.adopt.approve?")},
		"ApproveTruth":     {reason: "Nobody approves what is not known yet.", claim: adopt(`{vmId: 108, approve: true}`), xrd: true, want: one("spec.adopt.approve", "must be text: put it in quotes")},
		"ApproveNumber":    {reason: "A plan that looks like a number needs quotes in YAML.", claim: adopt(`{vmId: 108, approve: 1234567890}`), xrd: true, want: one("spec.adopt.approve", "must be text: put it in quotes")},
		"ApproveShort":     {reason: "A plan is approved whole.", claim: adopt(`{vmId: 108, approve: "3f9a0c"}`), xrd: true, want: one("spec.adopt.approve", plan)},
		"ApproveLong":      {reason: "A plan is approved whole.", claim: adopt(`{vmId: 108, approve: "3f9a0c71d20"}`), xrd: true, want: []fault{{"spec.adopt.approve", "must be at most 10 characters long"}, {"spec.adopt.approve", plan}}},
		"ApproveUpperCase": {reason: "Plans are in lower case.", claim: adopt(`{vmId: 108, approve: "3F9A0C71D2"}`), xrd: true, want: one("spec.adopt.approve", plan)},
		"ApproveEmpty":     {reason: "What is not approved yet is left out.", claim: adopt(`{vmId: 108, approve: ""}`), xrd: true, want: one("spec.adopt.approve", "must not be empty")},
		"TwoNumbers":       {reason: "One VM has one number.", claim: aMachine(`{proxmox: {node: pve, vmId: 153}, adopt: {vmId: 108}}`), xrd: true, want: one("spec.adopt.vmId", "108: must be the VMID in proxmox.vmId, which is 153: leave proxmox.vmId out")},
		"NodeTwoNumbers":   {reason: "The same for a K3sNode.", claim: aNode(`{proxmox: {node: pve, vmId: 153}, adopt: {vmId: 108}, k3s: {role: agent}}`), xrd: true, want: one("spec.adopt.vmId", "leave proxmox.vmId out")},
		"AdoptedNoRole":    {reason: "A node that is taken over has a role, too.", claim: aNode(`{proxmox: {node: pve}, adopt: {vmId: 108}, k3s: {cluster: home}}`), xrd: true, want: one("spec.k3s.role", "must be server or agent")},
		"AdoptTemplate":    {reason: "A machine is not its own template.", claim: aMachine(`{proxmox: {node: pve}, image: 9000, adopt: {vmId: 9000}}`), want: one("spec.adopt.vmId", "is the VMID of the template")},
		"AdoptFirmware":    {reason: "What is said of a living VM's firmware must be whole.", claim: aMachine(`{proxmox: {node: pve}, adopt: {vmId: 108}, firmware: {tpm: true}}`), want: one("spec.firmware.type", "an adopted VM keeps its own firmware")},
	}
}
