package cstp_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestProto_GeneratedCode_MatchesTheFile generates the code of the .proto files and compares. UPDATE_GOLDEN=1 writes
// the files.
func TestProto_GeneratedCode_MatchesTheFile(t *testing.T) {
	for name, folder := range map[string]string{"cstp.proto": "", "ext_mcp.proto": "../extmcp/"} {
		golden.Check(t, folder+strings.TrimSuffix(name, "proto")+"pb.go", generated(t, folder, name))
	}
}

// generated returns the Go code of a .proto file.
func generated(t *testing.T, folder, name string) string {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			ImportPaths: []string{folder}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files := graphtest.Must(compiler.Compile(t.Context(), name))(t)
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: []string{name},
		Parameter: proto.String("paths=source_relative")}
	imports := files[0].Imports()
	for i := range imports.Len() {
		request.ProtoFile = append(request.ProtoFile, protoutil.ProtoFromFileDescriptor(imports.Get(i).FileDescriptor))
	}
	request.ProtoFile = append(request.ProtoFile, protoutil.ProtoFromFileDescriptor(files[0]))
	in := graphtest.Must(proto.Marshal(request))(t)
	plugin := exec.CommandContext(t.Context(), "go", "run", "google.golang.org/protobuf/cmd/protoc-gen-go")
	plugin.Stdin, plugin.Stderr = bytes.NewReader(in), os.Stderr
	out := graphtest.Must(plugin.Output())(t)
	var answer pluginpb.CodeGeneratorResponse
	graphtest.OK(t, proto.Unmarshal(out, &answer))
	if answer.Error != nil || len(answer.File) != 1 {
		t.Fatalf("protoc-gen-go: got %d files and the error %q, want Error=nil, len(File)=1", len(answer.File),
			answer.GetError())
	}
	return answer.File[0].GetContent()
}
