package main

// A dashboard of Grafana: the part of its model, schema 39, that is used here.
type (
	dashboard struct {
		Title         string      `json:"title"`
		Description   string      `json:"description"`
		UID           string      `json:"uid"`
		Tags          []string    `json:"tags"`
		SchemaVersion int         `json:"schemaVersion"`
		Editable      bool        `json:"editable"`
		GraphTooltip  int         `json:"graphTooltip"`
		Refresh       string      `json:"refresh"`
		Time          timeRange   `json:"time"`
		Timezone      string      `json:"timezone"`
		Links         []link      `json:"links"`
		Templating    templating  `json:"templating"`
		Annotations   annotations `json:"annotations"`
		Panels        []panel     `json:"panels"`
	}

	timeRange struct {
		From string `json:"from"`
		To   string `json:"to"`
	}

	link struct {
		Title       string   `json:"title"`
		Type        string   `json:"type"`
		URL         string   `json:"url"`
		TargetBlank bool     `json:"targetBlank"`
		Tags        []string `json:"tags"`
	}

	templating struct {
		List []variable `json:"list"`
	}

	annotations struct {
		List []annotation `json:"list"`
	}

	annotation struct {
		Name       string     `json:"name"`
		Enable     bool       `json:"enable"`
		IconColor  string     `json:"iconColor"`
		Datasource datasource `json:"datasource"`
		Expr       string     `json:"expr"`
		TitleFrom  string     `json:"titleFormat"`
	}

	variable struct {
		Name       string      `json:"name"`
		Label      string      `json:"label"`
		Type       string      `json:"type"`
		Query      string      `json:"query"`
		Datasource *datasource `json:"datasource,omitempty"`
		Refresh    int         `json:"refresh,omitempty"`
		IncludeAll bool        `json:"includeAll"`
		AllValue   string      `json:"allValue,omitempty"`
		Multi      bool        `json:"multi"`
		Sort       int         `json:"sort,omitempty"`
		Current    *current    `json:"current,omitempty"`
	}

	current struct {
		Text  string `json:"text"`
		Value string `json:"value"`
	}

	datasource struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}

	panel struct {
		ID              int              `json:"id"`
		Type            string           `json:"type"`
		Title           string           `json:"title"`
		Description     string           `json:"description,omitempty"`
		GridPos         gridPos          `json:"gridPos"`
		Datasource      *datasource      `json:"datasource,omitempty"`
		Targets         []target         `json:"targets,omitempty"`
		FieldConfig     *fieldConfig     `json:"fieldConfig,omitempty"`
		Options         map[string]any   `json:"options,omitempty"`
		Transformations []transformation `json:"transformations,omitempty"`
		Collapsed       *bool            `json:"collapsed,omitempty"`
		Panels          []panel          `json:"panels,omitempty"`
	}

	gridPos struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	}

	target struct {
		RefID        string     `json:"refId"`
		Expr         string     `json:"expr"`
		LegendFormat string     `json:"legendFormat"`
		Datasource   datasource `json:"datasource"`
		Instant      bool       `json:"instant"`
		Range        bool       `json:"range"`
		Format       string     `json:"format,omitempty"`
	}

	fieldConfig struct {
		Defaults  fieldDefaults `json:"defaults"`
		Overrides []any         `json:"overrides"`
	}

	fieldDefaults struct {
		Unit       string      `json:"unit"`
		Thresholds *thresholds `json:"thresholds,omitempty"`
		Color      *color      `json:"color,omitempty"`
		Min        *float64    `json:"min,omitempty"`
		NoValue    string      `json:"noValue,omitempty"`
	}

	color struct {
		Mode string `json:"mode"`
	}

	thresholds struct {
		Mode  string `json:"mode"`
		Steps []step `json:"steps"`
	}

	step struct {
		Color string   `json:"color"`
		Value *float64 `json:"value"`
	}

	transformation struct {
		ID      string         `json:"id"`
		Options map[string]any `json:"options"`
	}
)

// prometheus is the data source that the dashboard's user chooses.
func prometheus() datasource { return datasource{Type: "prometheus", UID: "${datasource}"} }

// machinesDashboard is the dashboard that is shipped.
func machinesDashboard() dashboard {
	source := prometheus()
	query := func(name, label, of string) variable {
		return variable{
			Name: name, Label: label, Type: "query", Query: of, Datasource: &source,
			Refresh: 2, IncludeAll: true, AllValue: ".*", Multi: true, Sort: 1,
		}
	}

	return dashboard{
		Title: "Proxmox machines", UID: "proxmox-machines", Tags: []string{"crossplane", "proxmox"},
		Description:   "Machines and clusters on Proxmox VE that claims ask for, and the function that makes them.",
		SchemaVersion: 39, GraphTooltip: 1, Refresh: "1m", Timezone: "browser",
		Time: timeRange{From: "now-6h", To: "now"},
		Links: []link{{
			Title: "Conditions", Type: "link", URL: repository + "conditions.md", TargetBlank: true, Tags: []string{},
		}},
		Templating: templating{List: []variable{
			{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus"},
			query("namespace", "Namespace", "label_values(homelab_machine_info, claim_namespace)"),
			query("machine", "Machine", `label_values(homelab_machine_info{claim_namespace=~"$namespace"}, machine)`),
		}},
		Annotations: annotations{List: []annotation{}},
		Panels:      layOut(machineRows(), clusterRows(), nodeRows(), guestRows(), functionRows()),
	}
}

// A row of panels under a title.
type row struct {
	title  string
	panels []panel
}

// width and the other figures of Grafana's grid.
const gridWidth = 24

// layOut puts panels into a grid, from left to right, and numbers them.
func layOut(groups ...[]row) []panel {
	var out []panel

	y := 0
	add := func(p panel) {
		p.ID = len(out) + 1
		out = append(out, p)
	}

	for _, g := range groups {
		for _, r := range g {
			add(panel{Type: "row", Title: r.title, GridPos: gridPos{H: 1, W: gridWidth, Y: y}, Collapsed: new(false)})

			y++
			x, height := 0, 0

			for _, p := range r.panels {
				if x+p.GridPos.W > gridWidth {
					x, y, height = 0, y+height, 0
				}

				p.GridPos.X, p.GridPos.Y = x, y
				x, height = x+p.GridPos.W, max(height, p.GridPos.H)

				add(p)
			}

			y += height
		}
	}

	return out
}
