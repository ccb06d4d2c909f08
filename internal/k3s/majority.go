package k3s

// Majority is how many of some members of etcd have to work, so that the cluster takes writes.
func Majority(members int) int { return members/2 + 1 }
