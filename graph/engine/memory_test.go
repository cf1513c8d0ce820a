package engine

import (
	"os"
	"strings"
	"testing"

	"nomograph/internal/apperr"
)

func TestMemory_DerivedSizes_StayWithinBounds(t *testing.T) {
	const mb, gb = int64(1) << 20, int64(1) << 30
	for _, c := range []struct {
		name                      string
		total, store, heap, cache int64
	}{
		{"a small machine", gb, 0, 256 * mb, 64 * mb},
		{"a small machine with a graph larger than itself", gb, 20 * gb, 256 * mb, 256 * mb},
		{"less than it can run with", 512 * mb, gb, 256 * mb, 128 * mb},
		{"a laptop of long ago", 4 * gb, 10 * mb, 512 * mb, 256 * mb},
		{"a usual one, and a small graph", 16 * gb, 100 * mb, gb, 512 * mb},
		{"a usual one, and a graph that outgrows the usual", 16 * gb, 3 * gb, 3 * gb / 2, 3 * gb},
		{"a usual one, and a graph larger than its quarter", 16 * gb, 30 * gb, 4 * gb, 4 * gb},
		{"a large one does not waste its memory", 256 * gb, 0, gb, 512 * mb},
		{"a large one, and a large graph", 256 * gb, 100 * gb, 4 * gb, 8 * gb},
		{"no round number", 24105*mb + 123, 700*mb + 5, gb, 700 * mb},
	} {
		heap, cache := chooseMemory(c.total, c.store)
		if heap != c.heap || cache != c.cache {
			t.Errorf("%s: a heap of %d MB and a page cache of %d MB, want %d and %d", c.name, heap/mb, cache/mb,
				c.heap/mb, c.cache/mb)
		}
	}
}

func TestMemory_Configured_IsUsed(t *testing.T) {
	o := Options{Dir: t.TempDir()}
	if err := os.MkdirAll(o.path("data", "databases", database, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"a", "deep/b"} {
		if err := os.WriteFile(o.path("data", "databases", database, file), make([]byte, 3<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	chosen := o.Memory()
	if !strings.HasPrefix(chosen.Why, "chosen for ") || !strings.HasSuffix(chosen.Why, "a graph of 6.0 MiB") {
		t.Errorf(`got %+v, want Why starting with "chosen for ", Why ending with "a graph of 6.0 MiB"`, chosen)
	}
	for name, c := range map[string]struct {
		o    Options
		want Memory
	}{
		"both": {Options{Heap: "300m", PageCache: "70m"}, Memory{"300m", "70m", "as set"}},
		"heap": {Options{Heap: "300m"}, Memory{"300m", chosen.PageCache, "heap as set, page cache " +
			chosen.Why}},
		"page cache": {Options{PageCache: "70m"}, Memory{chosen.Heap, "70m", "page cache as set, heap " + chosen.Why}},
	} {
		c.o.Dir = o.Dir
		if got := c.o.Memory(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	o.Scratch = true
	if got := o.Memory(); sizeOf(got.Heap) > scratchHeap || sizeOf(got.PageCache) > scratchCache {
		t.Errorf("a scratch graph: %+v", got)
	}
}

func TestCompiler_EngineIdleTime_SelectsTheCompiler(t *testing.T) {
	for want, o := range map[string]Options{"quick": {}, "full": {Idle: longIdle},
		"set to quick": {Idle: longIdle, Compiler: "quick"}, "set to full": {Compiler: "full"}} {
		if got := o.Defaults(); got.validate() != nil || !strings.HasSuffix(want, got.Compiler) {
			t.Errorf("got %s, %s, %v, want validate=nil, want ending with %v", want, got.Compiler, got.validate(),
				got.Compiler)
		}
	}
	if err := (Options{Compiler: "turbo"}).Defaults().validate(); !apperr.Is(err, apperr.Validation) ||
		apperr.From(err).Hint == "" {
		t.Errorf("turbo: %v", err)
	}
}
