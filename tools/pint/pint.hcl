# What pint asks of observability/alerts/rules.yaml, without a Prometheus: make lint-observability.

checks {
  # A condition is a series that is there while it is so: selecting it is the comparison.
  disabled = ["alerts/comparison"]
}

rule {
  match { kind = "alerting" }

  # Receivers route by three words.
  label "severity" {
    severity = "bug"
    required = true
    value    = "(critical|warning|info)"
  }

  # A scrape that fails once is nobody's business.
  for {
    severity = "bug"
    min      = "5m"
  }

  # A name is not enough, and who is woken wants to know what to do: both are sentences.
  annotation "summary" {
    severity = "bug"
    required = true
    value    = "(?s).+[.)`]"
  }

  annotation "description" {
    severity = "bug"
    required = true
    value    = "(?s).+[.)`]"
  }

  # Whether the page has the place, the linter of this repository knows.
  annotation "runbook_url" {
    severity = "bug"
    required = true
    value    = "https://github.com/homelab-io/function-proxmox-machine/blob/main/docs/[a-z-]+\\.md#[a-z0-9-]+"
  }
}
