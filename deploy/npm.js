#!/usr/bin/env node
// Runs the program of this platform's package, with the same input, output and exit code.
const { spawn } = require("node:child_process");
const path = require("node:path");

const name = path.basename(__filename, ".js") + (process.platform === "win32" ? ".exe" : "");
const platform = `${process.platform}-${process.arch}`;
let program;
try {
  program = path.join(path.dirname(require.resolve(`@nomograph/${platform}/package.json`)), "bin", name);
} catch {
  console.error(`nomograph: no package for ${platform}. Install without --omit=optional, or use an archive`);
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`nomograph: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
