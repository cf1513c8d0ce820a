package calibration

import (
	"math"
	"math/big"

	"nomograph/internal/statistics"
)

// Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// wilson returns Wilson's score interval for the mean of n values from 0 to 1. It is exact for 0 and 1; other values
// vary less, so their interval is no wider. n must not be 0.
func wilson(mean float64, n int64) Interval {
	low, high := statistics.Wilson(mean, float64(n))
	return Interval{low, high}
}

// normal returns the interval by the normal approximation, clamped to 0 to 1.
func normal(mean, deviation float64, n int64) Interval {
	low, high := statistics.Normal(mean, deviation/math.Sqrt(float64(n)))
	return Interval{Low: max(0, low), High: min(1, high)}
}

func (i Interval) round() Interval { return Interval{Low: round(i.Low), High: round(i.High)} }

func (i Interval) contains(value float64) bool { return i.Low <= value && value <= i.High }

func (i Interval) overlaps(o Interval) bool { return i.Low <= o.High && o.Low <= i.High }

// deviations returns n times the sum of squared deviations from the mean, exact until the conversion to float: 0 if all
// are equal.
func deviations(n, sum, squares int64) float64 {
	all := new(big.Int).Mul(big.NewInt(n), big.NewInt(squares))
	all.Sub(all, new(big.Int).Mul(big.NewInt(sum), big.NewInt(sum)))
	result, _ := new(big.Float).SetInt(all).Float64()
	return max(0, result)
}

// round rounds to six decimals and avoids negative zero.
func round(x float64) float64 { return math.Round(x*Micro)/Micro + 0 }

// withoutNoise removes float noise before a comparison with a threshold.
func withoutNoise(x float64) float64 { return math.Round(x*1e9) / 1e9 }
