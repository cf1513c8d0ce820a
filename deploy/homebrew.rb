class Nomograph < Formula
  desc "@DESCRIPTION@"
  homepage "@HOMEPAGE@"
  version "@VERSION@"

  on_macos do
    on_arm do
      @SOURCE darwin-arm64@
    end
    on_intel do
      @SOURCE darwin-amd64@
    end
  end

  on_linux do
    on_arm do
      @SOURCE linux-arm64@
    end
    on_intel do
      @SOURCE linux-amd64@
    end
  end

  def install
    libexec.install Dir["*"] # the program finds engine/ beside itself
    bin.install_symlink libexec/"nomograph", libexec/"nomograph-hook"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/nomograph version")
  end
end
