package pages

// table has every page, in the order of the navigation.
var table = []Page{
	{Name: "home", Path: "/", Title: "Start", Show: showHome},
	{Name: "graph", Path: "/graph", Title: "Graph", Nav: true, Use: "How decisions hang together: what stands on what, what objected, how it grew.", Needs: "get_graph", Show: showGraph,
		Script: "graph", Libraries: []string{"graphology", "Sigma"}, More: map[string]func(*Visit) (Answer, error){"export": graphExport, "panel": graphPanel}},
}

// Table gives every page.
func Table() []Page { return table }
