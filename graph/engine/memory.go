package engine

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
)

// Memory says how much an engine may take, and why.
type Memory struct {
	Heap      string `json:"heap"`       // its largest
	PageCache string `json:"page_cache"` // of the graph's files
	Why       string `json:"memory"`
}

// The bounds of what is chosen, in bytes. docs/guides/engine.md tells them to users.
const (
	minHeap, defaultHeap, maxHeap    = 256 << 20, 1 << 30, 4 << 30
	minCache, defaultCache, maxCache = 64 << 20, 512 << 20, 8 << 30
	scratchHeap, scratchCache        = 512 << 20, 128 << 20 // such a graph is small
	unknownMemory                    = 4 << 30              // what a machine is taken to have that does not tell
)

// chooseMemory gives the largest heap and the page cache, in bytes and whole MB, for a machine or container with total bytes of
// memory and a graph of store bytes on disk. An eighth and a sixteenth of the memory are usual; a large graph gets half of its
// size as heap and all of it as page cache, up to a quarter of the memory each. The other half is left to other programs, and to
// the system, which keeps the files of full-text and vector indexes in memory. Both are only taken as they are used.
func chooseMemory(total, store int64) (heap, cache int64) {
	heap = max(min(total/8, defaultHeap), min(store/2, total/4))
	cache = max(min(total/16, defaultCache), min(store, total/4))
	return wholeMB(min(max(heap, minHeap), maxHeap)), wholeMB(min(max(cache, minCache), maxCache))
}

func wholeMB(bytes int64) int64 { return bytes >> 20 << 20 }

// Memory gives the heap and the page cache that the options name, and chooses what they leave open.
func (o Options) Memory() Memory {
	if o.Heap != "" && o.PageCache != "" {
		return Memory{o.Heap, o.PageCache, "as set"}
	}
	total, store := machineMemory(), o.storeSize()
	heap, cache := chooseMemory(total, store)
	if o.Scratch {
		heap, cache = min(heap, scratchHeap), min(cache, scratchCache)
	}
	why := fmt.Sprintf("chosen for %s of memory and a graph of %s", humanize.IBytes(uint64(total)), humanize.IBytes(uint64(store)))
	switch {
	case o.Heap != "":
		why = "heap as set, page cache " + why
	case o.PageCache != "":
		why = "page cache as set, heap " + why
	}
	return Memory{cmp.Or(o.Heap, inMB(heap)), cmp.Or(o.PageCache, inMB(cache)), why}
}

func inMB(bytes int64) string { return fmt.Sprintf("%dm", bytes>>20) }

// machineMemory is the memory of the machine or of the container that this runs in, whichever is smaller.
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

// storeSize is what the graph takes on disk, without its transaction log; 0 where there is none.
func (o Options) storeSize() (bytes int64) {
	_ = filepath.WalkDir(o.path("data", "databases", database), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it goes while an engine runs
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// sized fills in what the engine runs with.
func (o Options) sized() (Options, Memory) {
	memory := o.Memory()
	o.Heap, o.PageCache = memory.Heap, memory.PageCache
	return o, memory
}
