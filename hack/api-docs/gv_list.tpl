{{- define "gvList" -}}
# API reference

Every field of a claim: its type, whether it is required, its default and its limits, what it does, and what changing it does to an existing VM. A
field is optional unless it is called required. `kubectl explain machine.spec` shows the same. A claim and its composite have the same fields.
{{ range . }}
{{ template "gvDetails" . }}
{{- end }}
{{- end -}}
