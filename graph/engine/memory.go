package engine

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

// Memory holds the memory sizes of an engine, and the reason for them.
type Memory struct {
	Heap      string `json:"heap"`       // maximum heap
	PageCache string `json:"page_cache"` // cache of the graph's files
	Why       string `json:"memory"`
}

// Limits of the automatic choice, in bytes. docs/guides/engine.md explains them to users.
const (
	minHeap, defaultHeap, maxHeap    = 256 << 20, 1 << 30, 4 << 30
	minCache, defaultCache, maxCache = 64 << 20, 512 << 20, 8 << 30
	scratchHeap, scratchCache        = 512 << 20, 128 << 20 // scratch graphs are small
	unknownMemory                    = 4 << 30              // assumed memory if the machine does not report it
)

// chooseMemory returns the maximum heap and the page cache in bytes, rounded to MB, for a machine or container with
// total bytes of memory and a graph of store bytes on disk. The defaults are an eighth and a sixteenth of the memory. A
// large graph gets half of its size as heap and all of it as page cache, each at most a quarter of the memory. The rest
// is for other programs and for the operating system, which caches the files of full-text and vector indexes. Both are
// allocated only as they are used.
func chooseMemory(total, store int64) (heap, cache int64) {
	heap = max(min(total/8, defaultHeap), min(store/2, total/4))
	cache = max(min(total/16, defaultCache), min(store, total/4))
	return wholeMB(min(max(heap, minHeap), maxHeap)), wholeMB(min(max(cache, minCache), maxCache))
}

func wholeMB(bytes int64) int64 { return bytes >> 20 << 20 }

// Memory returns the configured heap and page cache, and chooses those that are not configured.
func (o Options) Memory() Memory {
	if o.Heap != "" && o.PageCache != "" {
		return Memory{o.Heap, o.PageCache, "as set"}
	}
	total, store := machineMemory(), o.storeSize()
	heap, cache := chooseMemory(total, store)
	if o.Scratch {
		heap, cache = min(heap, scratchHeap), min(cache, scratchCache)
	}
	why := fmt.Sprintf("chosen for %s of memory and a graph of %s", humanize.IBytes(uint64(total)),
		humanize.IBytes(uint64(store)))
	switch {
	case o.Heap != "":
		why = "heap as set, page cache " + why
	case o.PageCache != "":
		why = "page cache as set, heap " + why
	}
	return Memory{cmp.Or(o.Heap, inMB(heap)), cmp.Or(o.PageCache, inMB(cache)), why}
}

func inMB(bytes int64) string { return fmt.Sprintf("%dm", bytes>>20) }

// machineMemory returns the memory of the machine or of the container, whichever is smaller.
func machineMemory() int64 {
	total, err := memlimit.FromSystem()
	if err != nil || total == 0 {
		total = unknownMemory
	}
	if limit, err := memlimit.FromCgroup(); err == nil && limit > 0 {
		total = min(total, limit)
	}
	return int64(total)
}

// storeSize returns the size of the graph on disk without its transaction log; 0 if there is no graph.
func (o Options) storeSize() (bytes int64) {
	_ = filepath.WalkDir(o.path("data", "databases", database), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // files may disappear while an engine runs
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// withMemory returns the options with chosen memory sizes.
func (o Options) withMemory() (Options, Memory) {
	memory := o.Memory()
	o.Heap, o.PageCache = memory.Heap, memory.PageCache
	return o, memory
}
