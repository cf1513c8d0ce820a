package search

import (
	"context"
	_ "embed"
	"encoding/binary"
	"math"
	"sync"
)

// Embedder computes vectors of texts. Embed returns one vector per text, all with the same number of dimensions, or nil
// for a text without known words. Model identifies the model, because vectors of different models are not comparable.
type Embedder interface {
	Model() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

const builtinModel = "builtin-minilm-256-v1"

// Builtin returns the embedder in the binary: a table of token vectors with 256 dimensions, distilled from
// all-MiniLM-L6-v2 (NOTICE). It needs no key, download or server.
func Builtin() Embedder { return builtin{} }

type builtin struct{}

func (builtin) Model() string { return builtinModel }

func (builtin) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = table().embed(text)
	}
	return vectors, nil
}

// staticTable is a little-endian table: "STATEMB1"; the number of rows, the number of dimensions, the size of the
// vocabulary in bytes and 0 (each uint32); the vocabulary (one word per row, separated by newlines); a float32 scale
// for each row; the rows as int8.
//
//go:embed static.bin
var staticTable string

type static struct {
	words      *vocabulary
	dimensions int
	scales     string // one little-endian float32 per row
	rows       string // int8 values, row by row
}

var table = sync.OnceValue(func() static {
	const header = len("STATEMB1")
	number := func(at int) int { return int(binary.LittleEndian.Uint32([]byte(staticTable[at : at+4]))) }
	rows, dimensions, size := number(header), number(header+4), number(header+8)
	rest := staticTable[header+16:]
	return static{words: newVocabulary(rest[:size]), dimensions: dimensions, scales: rest[size : size+scaleBytes*rows],
		rows: rest[size+scaleBytes*rows:]}
})

const scaleBytes = 4

func (t static) scale(row int32) float32 {
	at := t.scales[scaleBytes*row : scaleBytes*row+scaleBytes]
	return math.Float32frombits(uint32(at[0]) | uint32(at[1])<<8 | uint32(at[2])<<16 | uint32(at[3])<<24)
}

// embed returns the normalized sum of the vectors of the text's tokens, or nil if it has none.
func (t static) embed(text string) []float32 {
	sum := make([]float32, t.dimensions)
	for _, row := range t.words.tokens(text) {
		scale, from := t.scale(row), int(row)*t.dimensions
		for i, value := range []byte(t.rows[from : from+t.dimensions]) {
			sum[i] += scale * float32(int8(value))
		}
	}
	return unit(sum)
}

// unit normalizes a vector in place. It returns nil for a vector of length 0, NaN or infinity.
func unit(v []float32) []float32 {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	length := math.Sqrt(squares)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return v
}
