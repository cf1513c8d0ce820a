// Returns which of $nodes (label to list of {at, identifying properties}) exist, and which other nodes have a value that must be unique. by is the equal property.
UNWIND $nodes.Decision AS x MATCH (n:Decision {uid: x.uid}) USING INDEX n:Decision(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Reason AS x MATCH (n:Reason {uid: x.uid}) USING INDEX n:Reason(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Review AS x MATCH (n:Review {uid: x.uid}) USING INDEX n:Review(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Revision AS x MATCH (n:Revision {uid: x.uid}) USING INDEX n:Revision(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Session AS x MATCH (n:Session {uid: x.uid}) USING INDEX n:Session(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.TraceEvent AS x MATCH (n:TraceEvent {uid: x.uid}) USING INDEX n:TraceEvent(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Verdict AS x MATCH (n:Verdict {uid: x.uid}) USING INDEX n:Verdict(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_Change AS x MATCH (n:SYS_Change {uid: x.uid}) USING INDEX n:SYS_Change(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.CircuitReset AS x MATCH (n:CircuitReset {uid: x.uid}) USING INDEX n:CircuitReset(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Decision AS x MATCH (n:Decision {id: x.id}) USING INDEX n:Decision(id) WHERE n.uid <> x.uid RETURN x.at AS at, 'id' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.Decision AS x MATCH (n:Decision {source: x.source, external_id: x.external_id}) USING INDEX n:Decision(source, external_id) WHERE n.uid <> x.uid RETURN x.at AS at, 'external_id' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.Decision AS x MATCH (n:Decision {agent: x.agent, request_key: x.request_key}) USING INDEX n:Decision(agent, request_key) WHERE n.uid <> x.uid RETURN x.at AS at, 'request_key' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.Session AS x MATCH (n:Session {id: x.id}) USING INDEX n:Session(id) WHERE n.uid <> x.uid RETURN x.at AS at, 'id' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.TraceEvent AS x MATCH (n:TraceEvent {session: x.session, seq: x.seq}) USING INDEX n:TraceEvent(session, seq) WHERE n.uid <> x.uid RETURN x.at AS at, 'seq' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.Agent AS x MATCH (n:Agent {key: x.key}) USING INDEX n:Agent(key) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Project AS x MATCH (n:Project {key: x.key}) USING INDEX n:Project(key) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Tag AS x MATCH (n:Tag {key: x.key}) USING INDEX n:Tag(key) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Pattern AS x MATCH (n:Pattern {key: x.key}) USING INDEX n:Pattern(key) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_Pack AS x MATCH (n:SYS_Pack {name: x.name}) USING INDEX n:SYS_Pack(name) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_SearchIndex AS x MATCH (n:SYS_SearchIndex {name: x.name}) USING INDEX n:SYS_SearchIndex(name) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_Revision AS x MATCH (n:SYS_Revision {hash: x.hash}) USING INDEX n:SYS_Revision(hash) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_Version AS x MATCH (n:SYS_Version {hash: x.hash, of: x.of}) USING INDEX n:SYS_Version(hash) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.VerdictTally AS x MATCH (n:VerdictTally {day: x.day}) USING INDEX n:VerdictTally(day) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_Policy AS x MATCH (n:SYS_Policy {name: x.name}) USING INDEX n:SYS_Policy(name) RETURN x.at AS at, 'name' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_Threshold AS x MATCH (n:SYS_Threshold {name: x.name}) USING INDEX n:SYS_Threshold(name) RETURN x.at AS at, 'name' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_DecisionTable AS x MATCH (n:SYS_DecisionTable {table_id: x.table_id}) USING INDEX n:SYS_DecisionTable(table_id) RETURN x.at AS at, 'name' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_DecisionRow AS x MATCH (n:SYS_DecisionRow {row_id: x.row_id}) USING INDEX n:SYS_DecisionRow(row_id) RETURN x.at AS at, 'name' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_Program AS x MATCH (n:SYS_Program {name: x.name}) USING INDEX n:SYS_Program(name) RETURN x.at AS at, 'name' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SYS_FederationSource AS x MATCH (n:SYS_FederationSource {name: x.name}) USING INDEX n:SYS_FederationSource(name) RETURN x.at AS at, 'name' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.SubjectConcept AS x MATCH (n:SubjectConcept {subject_id: x.subject_id}) USING INDEX n:SubjectConcept(subject_id) RETURN x.at AS at, 'name' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Atlas AS x MATCH (n:Atlas {atlas_id: x.atlas_id}) USING INDEX n:Atlas(atlas_id) RETURN x.at AS at, 'name' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Context AS x MATCH (n:Context {context_id: x.context_id}) USING INDEX n:Context(context_id) RETURN x.at AS at, 'name' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Feedback AS x MATCH (n:Feedback {uid: x.uid}) USING INDEX n:Feedback(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Feedback AS x MATCH (n:Feedback {voice: x.voice}) USING INDEX n:Feedback(voice) WHERE n.uid <> x.uid RETURN x.at AS at, 'voice' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.Approval AS x MATCH (n:Approval {uid: x.uid}) USING INDEX n:Approval(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Proposal AS x MATCH (n:Proposal {uid: x.uid}) USING INDEX n:Proposal(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Replay AS x MATCH (n:Replay {uid: x.uid}) USING INDEX n:Replay(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.ProposalStep AS x MATCH (n:ProposalStep {uid: x.uid}) USING INDEX n:ProposalStep(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Appeal AS x MATCH (n:Appeal {uid: x.uid}) USING INDEX n:Appeal(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.UnmetNeed AS x MATCH (n:UnmetNeed {uid: x.uid}) USING INDEX n:UnmetNeed(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.UnmetNeed AS x MATCH (n:UnmetNeed {key: x.key}) USING INDEX n:UnmetNeed(key) WHERE n.uid <> x.uid RETURN x.at AS at, 'key' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.LinkChange AS x MATCH (n:LinkChange {uid: x.uid}) USING INDEX n:LinkChange(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Session AS x MATCH (n:Session {source: x.source, external_id: x.external_id}) USING INDEX n:Session(source, external_id) WHERE n.uid <> x.uid RETURN x.at AS at, 'external_id' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.Chunk AS x MATCH (n:Chunk {uid: x.uid}) USING INDEX n:Chunk(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Chunk AS x MATCH (n:Chunk {session: x.session, position: x.position}) USING INDEX n:Chunk(session, position) WHERE n.uid <> x.uid RETURN x.at AS at, 'position' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.ForgottenChunk AS x MATCH (n:ForgottenChunk {uid: x.uid}) USING INDEX n:ForgottenChunk(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.ForgottenChunk AS x MATCH (n:ForgottenChunk {session: x.session, position: x.position}) USING INDEX n:ForgottenChunk(session, position) WHERE n.uid <> x.uid RETURN x.at AS at, 'position' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.Intent AS x MATCH (n:Intent {uid: x.uid}) USING INDEX n:Intent(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Voice AS x MATCH (n:Voice {uid: x.uid}) USING INDEX n:Voice(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.PeerVerdict AS x MATCH (n:PeerVerdict {uid: x.uid}) USING INDEX n:PeerVerdict(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.PeerDecision AS x MATCH (n:PeerDecision {uid: x.uid}) USING INDEX n:PeerDecision(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Intent AS x MATCH (n:Intent {agent_key: x.agent_key, correlation_id: x.correlation_id}) USING INDEX n:Intent(agent_key, correlation_id) WHERE n.uid <> x.uid RETURN x.at AS at, 'correlation_id' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.PeerDecision AS x MATCH (n:PeerDecision {peer: x.peer, external_id: x.external_id}) USING INDEX n:PeerDecision(peer, external_id) WHERE n.uid <> x.uid RETURN x.at AS at, 'external_id' AS by, elementId(n) AS id, [] AS labels, {} AS properties
UNION ALL
UNWIND $nodes.Peer AS x MATCH (n:Peer {url: x.url}) USING INDEX n:Peer(url) RETURN x.at AS at, 'key' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Execution AS x MATCH (n:Execution {uid: x.uid}) USING INDEX n:Execution(uid) RETURN x.at AS at, 'uid' AS by, elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
UNWIND $nodes.Execution AS x MATCH (n:Execution {call: x.call}) USING INDEX n:Execution(call) WHERE n.uid <> x.uid RETURN x.at AS at, 'call' AS by, elementId(n) AS id, [] AS labels, {} AS properties
