package main

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nomograph/graph/graphtest"
)

// TestIdleReader_NoMessageForAWhile_ReleasesMemoryOnce also checks the release after the next message.
func TestIdleReader_NoMessageForAWhile_ReleasesMemoryOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rests atomic.Int32
		in, out := io.Pipe()
		r := newIdleReader(in, func() { rests.Add(1) })
		messages := make(chan string)
		go func() {
			for p := make([]byte, 10); ; {
				n, err := r.Read(p)
				if err != nil {
					close(messages)
					return
				}
				messages <- string(p[:n])
			}
		}()
		for range 5 { // one every two seconds
			time.Sleep(2 * time.Second)
			_, _ = io.WriteString(out, "x")
			<-messages
		}
		graphtest.Equal(t, rests.Load(), 0, "releases of memory between messages")
		time.Sleep(time.Hour)
		graphtest.Equal(t, rests.Load(), 1, "releases of memory in an idle hour")
		_ = out.Close()
		<-messages
		time.Sleep(time.Hour)
		graphtest.Equal(t, rests.Load(), 1, "releases of memory at the end of the input")
	})
}

func TestReleaseMemory_Process_Continues(t *testing.T) {
	releaseMemory()
	graphtest.Equal(t, strings.Repeat("a", 3), "aaa", "the program's output")
}
