package hooks

import "time"

// openCode is OpenCode 1. Its plugin throws an error unless the answer is an explicit allow.
var openCode = Client{
	Name: "opencode", Title: "OpenCode", Minimum: "1", Timeout: 15 * time.Second,
	Failure: "closed, by the plugin that nomograph hook install writes",
	Events:  append(on(BeforeAction, "tool.execute.before"), on(AfterTool, "tool.execute.after")...),
	Traps:   []string{"OpenCode 2 does not load plugins of version 1", "ask is a denial, because a plugin cannot ask"},
	Sample:  `{"session_id":"sample","hook_event_name":"tool.execute.before","cwd":"/tmp","tool_name":"bash","tool_input":{"command":"echo nomograph"}}`,
	read:    readCall,
	answer: func(event string, v Verdict) Answer {
		if v.Decision == Allow {
			return Answer{Stdout: object("decision", "allow")}
		}
		return decided("deny")(event, v)
	},
}
