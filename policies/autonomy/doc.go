// Package autonomy computes the level of autonomy that an agent has earned from reviews of its decisions. It reads no
// graph: package check reads the reviews and passes them in chronological order.
package autonomy
