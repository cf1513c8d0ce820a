package manifest

// Overlap is overlap.
var Overlap = overlap
