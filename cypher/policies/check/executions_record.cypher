// Stores $executions as nodes, one for each call, and links each to the verdicts of its check. If a hook reports a call without an id and a transcript with one, the node has both keys, call and second_call. The verdicts are those of the same tool call. Otherwise it is the nearest verdict with the same content, client and session within $window milliseconds that is not linked to another call. Within $shared milliseconds it may be linked, because clients reuse an answer for seconds. Returns the uids of new executions, and how many have a verdict. $by is the agent, in lower case, whose verdicts and calls may be linked and changed; null for any.
UNWIND $executions AS x
WITH x ORDER BY x.at, x.call // the earlier of equal calls chooses its verdict first, and all writers lock in one order
CALL (x) { // row by row, so that each call sees the executions stored for earlier rows
  OPTIONAL MATCH (same:Verdict {tool_call: x.tool_call}) USING INDEX same:Verdict(tool_call) WHERE $by IS NULL OR toLower(same.agent) = $by
  WITH x, collect(same) AS found
  WITH x, found, CASE WHEN size(found) = 0 THEN [x.content] ELSE [] END AS contents
  WITH x, found + COLLECT {
    UNWIND contents AS content
    MATCH (v:Verdict) USING INDEX v:Verdict(content, at)
    WHERE v.content = content AND v.at >= x.at - duration({milliseconds: $window}) AND v.at <= x.at + duration({milliseconds: $window})
      AND ($by IS NULL OR toLower(v.agent) = $by) AND v.client = x.client AND (x.client_session IS NULL OR v.client_session IS NULL OR v.client_session = x.client_session)
      AND (x.tool_call IS NULL OR v.tool_call IS NULL) AND (x.project IS NULL OR v.project IS NULL OR v.project = x.project OR v.client_session = x.client_session)
    WITH v, abs(v.at.epochMillis - x.at.epochMillis) AS apart, EXISTS {
      MATCH (v)<-[:UNDER]-(other:Execution)
      WHERE other.call <> x.call AND coalesce(other.second_call, '') <> x.call AND (other.source = x.source OR other.second_call IS NOT NULL)
    } AS taken
    WHERE NOT taken OR apart <= $shared
    RETURN v ORDER BY apart LIMIT 1
  } AS found
  WITH x, found, CASE WHEN size(found) > 0 THEN null ELSE coalesce(x.reason,
    CASE WHEN EXISTS { MATCH (other:Verdict {client_session: x.client_session}) WHERE $by IS NULL OR toLower(other.agent) = $by } THEN 'hook_failed' ELSE 'no_hook' END) END AS reason
  WITH x, found, reason, COLLECT {
    UNWIND found AS v
    MATCH (v)<-[:UNDER]-(known:Execution)
    WHERE known.source <> x.source AND known.kind = x.kind AND (known.second_call IS NULL OR known.second_call = x.call) AND NOT EXISTS { MATCH (:Execution {call: x.call}) }
    RETURN known.call ORDER BY known.second_call LIMIT 1
  } AS known
  WITH x, found, reason, known WHERE $by IS NULL OR NOT EXISTS { MATCH (other:Execution {call: coalesce(known[0], x.call)}) WHERE coalesce(toLower(other.agent), '') <> $by }
  MERGE (e:Execution {call: coalesce(known[0], x.call)})
  ON CREATE SET e.uid = x.uid, e.schema_version = 1, e.client = x.client, e.event = x.event, e.kind = x.kind, e.at = x.at, e.source = x.source, e.agent = x.agent, e.project = x.project
  SET e.version = coalesce(e.version, x.version), e.tool = coalesce(e.tool, x.tool),
      e.second_call = CASE WHEN e.call = x.call THEN e.second_call ELSE x.call END,
      e.outcome = CASE WHEN coalesce(e.outcome, 'unknown') = 'unknown' THEN x.outcome ELSE e.outcome END,
      e.reason = CASE WHEN EXISTS { (e)-[:UNDER]->() } THEN null WHEN e.reason IS NULL OR reason IS NULL OR e.reason IN ['no_hook', 'hook_failed'] THEN reason ELSE e.reason END
  FOREACH (v IN found | MERGE (e)-[:UNDER]->(v))
  RETURN e, size(found) > 0 AS checked
}
RETURN collect(CASE WHEN e.uid = x.uid THEN e.uid END) AS recorded, sum(CASE WHEN checked THEN 1 ELSE 0 END) AS matched
