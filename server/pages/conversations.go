package pages

import (
	"strings"

	"nomograph/memory/recall"
)

// conversations is the data of the page of conversations: the projects in memory, the conversations of one project, or
// the text of one conversation.
type conversations struct {
	*listing
	Project, Session string // selected project and session; "" for none
	Text             recall.Reconstruction
}

// PageTitle names the project.
func (c conversations) PageTitle() string {
	if c.Session != "" {
		return "Conversation" + inProject(c.Project)
	}
	return "Conversations" + inProject(c.Project)
}

// wholeTokens is the size of the text of a conversation on its own page.
const wholeTokens = 20_000

func showConversations(v *Visit) (_ any, err error) {
	out := conversations{Project: strings.TrimSpace(v.Query("project")), Session: strings.TrimSpace(v.Query("session"))}
	switch {
	case out.Project == "":
		out.Session = ""
		out.listing, err = v.list(memoryList)
	case out.Session == "":
		out.listing, err = v.list(conversationsList)
	default:
		out.Text, err = Call[recall.Reconstruction](v, "reconstruct",
			recall.ReconstructQuery{Project: out.Project, SessionID: out.Session, MaxTokens: wholeTokens})
	}
	return out, err
}
