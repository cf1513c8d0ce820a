// Package preparation answers in one call what an agent asks before an action, and records its decision.
//
// Store.PreAction checks a PreActionRequest. In parallel it searches precedents and their patterns and reads the
// calibration of the category. Without a confidence or a known category it checks but records nothing.
package preparation
