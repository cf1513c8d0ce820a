// Stores what the pack $pack has brought: $brought, a text "hash section key" for each node.
MATCH (p:SYS_Pack {name: $pack})
SET p.brought = $brought
