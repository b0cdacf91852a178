// Writes package-lock.json for package.json. Run it after a change of the version:
//
//   node lock.mjs
//
// Three packages and what only they need are left out: Azurite's telemetry, which
// is most of its weight and of its start, and the drivers of SQL databases that it
// is not told to use. So are the addresses of the registry, so that each machine
// uses the one it is set up for.

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";

const unused = ["applicationinsights", "mysql2", "tedious"];
const file = "package-lock.json";

process.chdir(import.meta.dirname);

function npm(command) {
  execFileSync(
    "npm",
    [command, "--package-lock-only", "--omit-lockfile-registry-resolved=true", "--no-audit", "--no-fund", "--loglevel=error"],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
}

function edit(change) {
  const lock = JSON.parse(readFileSync(file, "utf8"));
  change(lock.packages);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}

rmSync(file, { force: true });
npm("install");
edit((packages) => unused.forEach((name) => delete packages["node_modules/azurite"].dependencies[name]));
npm("prune");
edit((packages) => {
  for (const entry of Object.values(packages)) {
    delete entry.funding;
    delete entry.license;
  }
});
