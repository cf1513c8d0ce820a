package gate

import "time"

// Settings say how checks are judged and kept. The zero value is what most want.
type Settings struct {
	Project      string         // of checks that name none
	CheckTimeout time.Duration  // for reading and evaluating the rules of one check; 0 means CheckTimeout
	Keep         InputRetention // what a verdict keeps of the action; empty means KeepFull
	KeepAllowed  time.Duration  // how long verdicts that allowed are kept; 0 means for ever
	KeepDenied   time.Duration  // how long denials are kept; 0 means for ever
}
