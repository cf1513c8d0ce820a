package pages

// table has every page, in the order of the navigation.
var table = []Page{
	{Name: "home", Path: "/", Title: "Start", Show: showHome},
}

// Table gives every page.
func Table() []Page { return table }
