// Thresholds above a value,
// highest first.
// $least: number, the value
// $names: strings = [], only these names; empty means all
// $active: boolean = true, shown as it came
// $limit: integer = 2, at most this many
MATCH (t:SYS_Threshold)
WHERE t.value > $least AND (size($names) = 0 OR t.name IN $names)
RETURN t.name AS name, t.value AS value, $active AS active
ORDER BY value DESC, name
LIMIT $limit
