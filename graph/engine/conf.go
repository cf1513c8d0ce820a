package engine

import (
	"fmt"
	"path/filepath"
	"strings"

	"nomograph/graph/engine/files"
)

const (
	smallestHeap = "192m" // what the engine begins with; it grows to Options.Heap only when the graph needs it
	crashLogs    = "crash-%p.log"
)

// settings are those of a private engine: reached over Bolt from this machine alone, bounded in memory, disk and time,
// and unable to read files or addresses on behalf of a query.
func (o Options) settings(port int) [][2]string {
	heap, replan := sizeOf(o.Heap), "10s"
	if o.Scratch {
		replan = "1h" // planning anew what was planned for another filling took a quarter of an engine's time
	}
	return [][2]string{
		{"server.config.strict_validation.enabled", "true"},
		{"server.directories.data", filepath.ToSlash(o.path("data"))},
		{"server.directories.logs", filepath.ToSlash(o.path("logs"))},
		{"server.directories.run", filepath.ToSlash(o.path("run"))},

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
		{"db.lock.acquisition.timeout", "10s"},
		{"db.transaction.timeout", "5m"},
		{"db.track_query_cpu_time", "true"}, // tells a query that goes on from one that waits for its client

		// Gigabytes otherwise, on a graph of megabytes.
		{"db.tx_log.rotation.size", "16m"},
		{"db.tx_log.rotation.retention_policy", "1 files"},
		{"db.logs.query.enabled", "OFF"}, // statements carry what must not lie in a log

		// Neo4j gives its clients two times five seconds to say goodbye, of which ours make no use.
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
	text.WriteString("# Written at every start of the engine; a change made here does not last.\n")
	for _, setting := range o.settings(port) {
		fmt.Fprintf(&text, "%s=%s\n", setting[0], setting[1])
	}
	return files.Write(o.path("conf", "neo4j.conf"), []byte(text.String()))
}
