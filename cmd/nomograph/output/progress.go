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

// Progress shows on stderr the long work that is done with the context it gives: a bar on a terminal, a line a message elsewhere. The
// function that it returns ends the display and may be called more than once.
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
