// Returns whether there is an agent with the key $key, or, if $agent is false, a session with the id $id.
RETURN EXISTS { MATCH (a:Agent {key: $key}) WHERE $agent } OR EXISTS { MATCH (s:Session {id: $id}) WHERE NOT $agent AND true /* visible: s:Session */ } AS known
