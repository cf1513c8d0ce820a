package main

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
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
		if rests := rests.Load(); rests != 0 {
			t.Errorf("memory was released %d times between messages", rests)
		}
		time.Sleep(time.Hour)
		if rests := rests.Load(); rests != 1 {
			t.Errorf("memory was released %d times in an idle hour, want once", rests)
		}
		_ = out.Close()
		<-messages
		time.Sleep(time.Hour)
		if rests := rests.Load(); rests != 1 {
			t.Error("memory was released at the end of the input")
		}
	})
}

func TestReleaseMemory_Process_Continues(t *testing.T) {
	releaseMemory()
	if strings.Repeat("a", 3) != "aaa" {
		t.Error("the program's output differs")
	}
}
