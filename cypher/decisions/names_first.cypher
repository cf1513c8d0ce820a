// Returns the first spellings of the agent and the project with the keys $agent and $project that decisions use; null if there is none.
OPTIONAL MATCH (a:Agent {key: $agent})
OPTIONAL MATCH (p:Project {key: $project})
RETURN a.name AS agent, p.name AS project
