package lifecycle

// Assess the situation of a machine.
func Assess(r Request) Situation {
	name := r.Roles.Described()
	vm := r.Observed.VMs[name]

	s := Situation{
		Request: r, vm: vm,
		State:      StateOf(r.Observed.VMs, name),
		Adopted:    Adopts(r.Machine.Adopt, r.Roles, r.Observed.VMs),
		Retirement: retire(r),
	}
	owner := s.NodeOwner()
	s.nodeOwner, s.trial = &owner, trialOf(&s)

	return s
}

// trialOf the described VM.
func trialOf(s *Situation) trial {
	if s.Replacing() && !promotes(s) {
		return trialUnderWay
	}

	return trialNone
}
