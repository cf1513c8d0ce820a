// Gives the threshold with element id $id the value $value.
MATCH (t:SYS_Threshold) WHERE elementId(t) = $id
SET t.value = $value
RETURN properties(t) AS properties
