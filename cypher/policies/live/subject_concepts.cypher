// Returns a page of subject concepts, those with the most entities first. $status, $text: null for any. $skip, $limit.
MATCH (s:SubjectConcept)
WHERE ($status IS NULL OR s.status = $status)
  AND ($text IS NULL OR toLower(toStringOrNull(s.label)) CONTAINS $text)
WITH s, coalesce(s.subject_id, s.concept_id) AS subject_id,
     coalesce(s.facets, [facet IN [s.primary_facet] WHERE facet IS NOT NULL] + CASE WHEN s.related_facets IS NULL THEN [] WHEN valueType(s.related_facets) STARTS WITH 'LIST' THEN s.related_facets ELSE [s.related_facets] END) AS facets
ORDER BY coalesce(s.entity_count, 0) DESC, s.label, subject_id
WITH collect({subject_id: subject_id, qid: s.qid, label: s.label, entity_count: s.entity_count, facets: facets, status: s.status}) AS concepts
RETURN size(concepts) AS total, concepts[$skip..$skip + $limit] AS page
