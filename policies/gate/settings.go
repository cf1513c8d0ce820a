package gate

import "time"

// Settings configure checks. The zero value is the default.
type Settings struct {
	Project      string         // default project
	CheckTimeout time.Duration  // for reading and evaluating the rules of one check; 0 means CheckTimeout
	Keep         InputRetention // what a verdict stores of the action; empty means KeepFull
	KeepAllowed  time.Duration  // how long verdicts that allow are stored; 0 means forever
	KeepDenied   time.Duration  // how long denials are stored; 0 means forever
}
