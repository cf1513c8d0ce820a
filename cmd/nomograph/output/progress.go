package output

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"nomograph/internal/progress"
)

// Progress shows the progress of work with the returned context on stderr: a bar on a terminal, else one line per
// message. The returned function ends the display and may be called more than once.
func Progress(ctx context.Context, quiet bool) (context.Context, func()) {
	if quiet {
		return ctx, func() {}
	}
	var mu sync.Mutex
	var bar *progressbar.ProgressBar
	last := ""
	terminal := isatty.IsTerminal(os.Stderr.Fd())
	ctx = progress.Listen(ctx, func(step progress.Step) {
		mu.Lock()
		defer mu.Unlock()
		if !terminal {
			if step.Message != last {
				fmt.Fprintln(os.Stderr, step.Message)
			}
			last = step.Message
			return
		}
		total := step.Total
		if total == 0 {
			total = -1
		}
		if bar == nil || step.Message != last {
			bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish(),
				progressbar.OptionSetDescription(step.Message), progressbar.OptionSetWidth(30), progressbar.OptionSpinnerType(14))
		}
		last = step.Message
		_ = bar.Set64(step.Done)
	})
	return ctx, sync.OnceFunc(func() {
		mu.Lock()
		defer mu.Unlock()
		if bar != nil {
			_ = bar.Clear()
		}
	})
}
