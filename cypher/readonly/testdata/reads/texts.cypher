// name: patterns on what a graph stores
MATCH (d:Decision) WHERE d.summary =~ '(?i).*cache.*number.*' RETURN d.id
// ---
MATCH (d:Decision) WHERE any(t IN d.tags WHERE t =~ '(?i)(a|b|ops)[0-9]*') RETURN d.id
// ---
MATCH (d:Decision) WITH collect(d.summary) AS all RETURN [s IN all WHERE s =~ '.*cache.*'] AS some
// ---
// params: {"csv": "1,2,3,4,5,6,7,8,9,10,11,12"}
RETURN [x IN split($csv, ',') | toInteger(x)] AS numbers
// ---
// params: {"text": "a text of some length that a caller has at hand and wants to know something about, such as whether it speaks of the cache"}
RETURN $text =~ '(?i).*(cache|queue).*' AS found, replace($text, 'cache', 'queue') AS other, $text CONTAINS 'length' AS has
// ---
MATCH (d:Decision) WITH d, toLower(d.summary) AS text WHERE text CONTAINS toLower('Cache') RETURN d.id
