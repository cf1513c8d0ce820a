package output

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/mattn/go-isatty"

	"nomograph/internal/progress"
)

const (
	barWidth  = 30
	clearLine = "\r\x1b[K"
)

// Progress shows the progress of work with the returned context on stderr: a bar on a terminal, else one line per
// message. The returned function ends the display and may be called more than once.
func Progress(ctx context.Context, quiet bool) (context.Context, func()) {
	if quiet {
		return ctx, func() {}
	}
	var mu sync.Mutex
	shown, begin, end := "", "", "\n"
	if isatty.IsTerminal(os.Stderr.Fd()) {
		begin, end = clearLine, ""
	}
	ctx = progress.Listen(ctx, func(step progress.Step) {
		line := step.Message
		if end == "" && step.Total > 0 {
			done := min(step.Done, step.Total)
			line += fmt.Sprintf(" %3d%% [%-*s]", 100*done/step.Total, barWidth,
				strings.Repeat("=", int(barWidth*done/step.Total)))
		}
		mu.Lock()
		defer mu.Unlock()
		if line != shown {
			fmt.Fprint(os.Stderr, begin, line, end)
		}
		shown = line
	})
	return ctx, sync.OnceFunc(func() {
		mu.Lock()
		defer mu.Unlock()
		if shown != "" {
			fmt.Fprint(os.Stderr, begin)
		}
	})
}
