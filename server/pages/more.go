package pages

// Groups of the pages that /more lists.
const (
	groupRules  = "Rules"
	groupAgents = "Agents and contexts"
	groupAccess = "Access and changes"
	groupHelp   = "Help"
)

// pageGroup is a heading of /more with its pages.
type pageGroup struct {
	Title string
	Pages []Page
}

// showMore lists the pages outside the navigation that the caller may see.
func showMore(v *Visit) (any, error) {
	var groups []pageGroup
	for _, title := range []string{groupRules, groupAgents, groupAccess, groupHelp} {
		group := pageGroup{Title: title}
		for _, page := range v.server.pages {
			if page.Group == title && (page.Needs == "" || v.May(page.Needs)) {
				group.Pages = append(group.Pages, page)
			}
		}
		if len(group.Pages) > 0 {
			groups = append(groups, group)
		}
	}
	return groups, nil
}
