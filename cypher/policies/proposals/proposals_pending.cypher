// Returns the open and approved proposals: what each changes, and the hash of the rules of its replay. No parameters.
MATCH (p:Proposal) WHERE p.state IN ['open', 'approved'] AND true /* visible: p:Proposal */
RETURN p {.uid, .rows, .base_revision} AS proposal
