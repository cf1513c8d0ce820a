package calibration

import (
	"math"
	"math/big"
)

// z is how many standard deviations 95 % of a normal distribution lie within, to either side.
const z = 1.959963984540054

// Interval is where the true value lies, with 95 % confidence.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// wilson is Wilson's score interval for the mean of n values from 0 to 1. It is his for yes and no; values between spread
// less, so that theirs is no wider. It is never empty and never leaves 0 to 1. n must not be 0.
func wilson(mean float64, n int64) Interval {
	count := float64(n)
	middle := (mean + z*z/(2*count)) / (1 + z*z/count)
	half := z / (1 + z*z/count) * math.Sqrt(mean*(1-mean)/count+z*z/(4*count*count))
	return Interval{Low: max(0, middle-half), High: min(1, middle+half)}.around(mean)
}

// normal is the interval by the normal approximation, cut to 0 to 1.
func normal(mean, deviation float64, n int64) Interval {
	half := z * deviation / math.Sqrt(float64(n))
	return Interval{Low: max(0, mean-half), High: min(1, mean+half)}
}

// around mends what rounding of floats can do: the value itself is always inside.
func (i Interval) around(mean float64) Interval {
	return Interval{Low: min(i.Low, mean), High: max(i.High, mean)}
}

func (i Interval) rounded() Interval { return Interval{Low: round(i.Low), High: round(i.High)} }

func (i Interval) contains(value float64) bool { return i.Low <= value && value <= i.High }

func (i Interval) overlaps(o Interval) bool { return i.Low <= o.High && o.Low <= i.High }

// deviations is n times the sum of squared deviations from the mean, exact until it becomes a float: 0 where all are equal.
func deviations(n, sum, squares int64) float64 {
	all := new(big.Int).Mul(big.NewInt(n), big.NewInt(squares))
	all.Sub(all, new(big.Int).Mul(big.NewInt(sum), big.NewInt(sum)))
	result, _ := new(big.Float).SetInt(all).Float64()
	return max(0, result)
}

// round keeps six decimals, and gives no negative zero.
func round(x float64) float64 { return math.Round(x*Micro)/Micro + 0 }

func rounded(x float64) *float64 {
	r := round(x)
	return &r
}

// settled takes the noise of floats away before a value is compared with a threshold.
func settled(x float64) float64 { return math.Round(x*1e9) / 1e9 }
