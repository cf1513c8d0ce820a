package cstp_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"nomograph/internal/golden"
)

// TestProto_GeneratedCode_MatchesTheFile generates cstp.pb.go from cstp.proto and compares. UPDATE_GOLDEN=1 writes the
// file.
func TestProto_GeneratedCode_MatchesTheFile(t *testing.T) {
	const name = "cstp.proto"
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: []string{name},
		Parameter: proto.String("paths=source_relative")}
	imports := files[0].Imports()
	for i := range imports.Len() {
		request.ProtoFile = append(request.ProtoFile, protoutil.ProtoFromFileDescriptor(imports.Get(i).FileDescriptor))
	}
	request.ProtoFile = append(request.ProtoFile, protoutil.ProtoFromFileDescriptor(files[0]))
	in, err := proto.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	plugin := exec.CommandContext(t.Context(), "go", "run", "google.golang.org/protobuf/cmd/protoc-gen-go")
	plugin.Stdin, plugin.Stderr = bytes.NewReader(in), os.Stderr
	out, err := plugin.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Error != nil || len(answer.File) != 1 {
		t.Fatalf("protoc-gen-go: got %d files and the error %q, want Error=nil, len(File)=1", len(answer.File),
			answer.GetError())
	}
	golden.Check(t, "cstp.pb.go", answer.File[0].GetContent())
}
