package nomograph_test

import (
	"os"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestItCompilesOnEverySystem has the compiler's front end check the program, and all that it is made of, as it is built for
// the systems that are not this one. It takes a tenth of the time of building them, which `make release` does. `make test` has
// `make cross` run it, without the race detector.
func TestItCompilesOnEverySystem(t *testing.T) {
	for _, system := range []string{"darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			loaded, err := packages.Load(&packages.Config{
				Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax,
				Env:  append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
			}, "./cmd/nomograph")
			if err != nil {
				t.Fatal(err)
			}
			packages.Visit(loaded, nil, func(p *packages.Package) {
				for _, err := range p.Errors {
					t.Errorf("%s: %v", p.PkgPath, err)
				}
			})
		})
	}
}
