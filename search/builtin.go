package search

import (
	"context"
	_ "embed"
	"encoding/binary"
	"math"
	"strings"
	"sync"
)

// Embedder turns texts into vectors. Embed gives one vector for each text, all of one length; nil for a text in which it
// finds no words. Vectors of two models cannot be compared, so Model names what made them.
type Embedder interface {
	Model() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

const builtinModel = "builtin-minilm-256-v1"

// Builtin is the embedder that the program carries: a table of token vectors distilled from all-MiniLM-L6-v2 (NOTICE).
// It needs no key, download or server, and gives 256 dimensions.
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

// staticTable holds, little endian: "STATEMB1", the number of rows and of dimensions, the bytes of the vocabulary, 0 (each
// uint32), the vocabulary (one word a row, parted by newlines), a float32 scale for each row, and the rows as int8.
//
//go:embed static.bin
var staticTable string

type static struct {
	words      *vocabulary
	dimensions int
	scales     []float32
	rows       string // int8, row by row
}

var table = sync.OnceValue(func() static {
	const header = len("STATEMB1")
	number := func(at int) int { return int(binary.LittleEndian.Uint32([]byte(staticTable[at : at+4]))) }
	rows, dimensions, size := number(header), number(header+4), number(header+8)
	rest := staticTable[header+16:]
	t := static{words: newVocabulary(strings.Split(rest[:size], "\n")), dimensions: dimensions, scales: make([]float32, rows), rows: rest[size+4*rows:]}
	for i := range t.scales {
		t.scales[i] = math.Float32frombits(uint32(number(header + 16 + size + 4*i)))
	}
	return t
})

// embed gives the sum of the rows of text's tokens at length 1, or nil where there is none.
func (t static) embed(text string) []float32 {
	sum := make([]float32, t.dimensions)
	for _, row := range t.words.tokens(text) {
		scale, from := t.scales[row], int(row)*t.dimensions
		for i, value := range []byte(t.rows[from : from+t.dimensions]) {
			sum[i] += scale * float32(int8(value))
		}
	}
	return unit(sum)
}

// unit scales a vector to length 1; one without a direction gives nil.
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
