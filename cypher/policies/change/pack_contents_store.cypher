// Stores the nodes created by the pack $pack: $brought, a text "hash section key" for each.
MATCH (p:SYS_Pack {name: $pack})
SET p.brought = $brought
