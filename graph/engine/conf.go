package engine

import (
	"fmt"
	"strings"

	"nomograph/graph/engine/files"
)

const (
	smallestHeap = "192m" // initial heap; it grows to Options.Heap when needed
	crashLogs    = "crash-%p.log"
)

// settings returns the settings of a private engine. It is reachable over Bolt from this machine only, limited in
// memory, disk and time, and does not let queries read files or URLs. No setting is a path, because Neo4j reads the
// file as Latin-1 and takes a backslash for a slash: its folders are those in --home-dir.
func (o Options) settings(port int) [][2]string {
	heap, replan, plans, sizes := sizeOf(o.Heap), "10s", "1000", "true"
	if o.Scratch { // tests run many statements on small, changing graphs; planning takes most of an engine's CPU time
		replan, plans, sizes = "1h", "5000", "false"
	}
	return [][2]string{
		{"server.config.strict_validation.enabled", "true"},

		{"server.bolt.enabled", "true"},
		{"server.bolt.listen_address", address(port)},
		{"server.bolt.advertised_address", address(port)},
		{"server.http.enabled", "false"},
		{"server.https.enabled", "false"},
		{"dbms.usage_report.enabled", "false"},

		{"dbms.security.auth_enabled", "true"},
		{"dbms.security.allow_csv_import_from_file_urls", "false"},
		{"internal.dbms.cypher_ip_blocklist", "0.0.0.0/0,::/0"},

		{"server.memory.heap.initial_size", o.firstHeap()},
		{"server.memory.heap.max_size", o.Heap},
		{"server.memory.pagecache.size", o.PageCache},
		{"db.memory.transaction.max", fmt.Sprintf("%dm", heap/2>>20)},
		{"dbms.memory.transaction.total.max", fmt.Sprintf("%dm", heap*3/4>>20)},
		{"dbms.cypher.min_replan_interval", replan},
		{"server.memory.query_cache.per_db_cache_num_entries", plans},
		{"internal.cypher.use_parameter_size", sizes}, // "true" makes a plan for each size of texts and lists
		{"db.lock.acquisition.timeout", "10s"},
		{"db.transaction.timeout", "5m"},
		{"db.track_query_cpu_time", "true"}, // distinguishes running queries from those that wait for their client

		// With the default, log files grow to gigabytes for a graph of megabytes.
		{"db.tx_log.rotation.size", "16m"},
		{"db.tx_log.rotation.retention_policy", "1 files"},
		{"db.logs.query.enabled", "OFF"}, // statements contain data that must not be logged

		// By default, a stop waits two times five seconds for clients to disconnect. Ours do not need this.
		{"internal.dbms.bolt.netty_server_shutdown_quiet_period", "0"},
		{"internal.dbms.bolt.netty_server_shutdown_timeout", "2"},
	}
}

func (o Options) firstHeap() string {
	if sizeOf(o.Heap) < sizeOf(smallestHeap) {
		return o.Heap
	}
	return smallestHeap
}

func (o Options) writeConf(port int) error {
	text := strings.Builder{}
	text.WriteString("# Rewritten at every start of the engine; changes here are lost.\n")
	for _, setting := range o.settings(port) {
		fmt.Fprintf(&text, "%s=%s\n", setting[0], setting[1])
	}
	return files.Write(o.path("conf", "neo4j.conf"), []byte(text.String()))
}
