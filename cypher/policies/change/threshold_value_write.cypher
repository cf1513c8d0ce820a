// Sets the value of the threshold $id (element id) to $value.
MATCH (t:SYS_Threshold) WHERE elementId(t) = $id
SET t.value = $value
RETURN properties(t) AS properties
