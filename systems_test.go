package nomograph_test

import (
	"os"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestBuild_EverySystem_Compiles type-checks the program and its dependencies for all supported operating systems but
// this one. This takes a tenth of the time of the builds in `make release`. `make test-all` runs it through `make
// cross`, without the race detector.
func TestBuild_EverySystem_Compiles(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	for _, system := range []string{"darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			loaded, err := packages.Load(&packages.Config{
				Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax,
				Env:  append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
			}, "./cmd/nomograph", "./cmd/nomograph-hook")
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
