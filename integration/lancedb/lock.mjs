// Writes package-lock.json for package.json. Run it after a change of a version:
//
//   node lock.mjs
//
// Two of LanceDB's optional packages serve embedding functions only, are larger
// than the rest together, and one downloads a library while it installs. They
// and what only they need are left out. So are the addresses of the registry,
// so that each machine uses the one it is set up for.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const unused = ["@huggingface/transformers", "openai"];
const here = import.meta.dirname;

// The place of the package `name` as seen from the package at `from`: Node looks
// in the nearest node_modules first.
function resolve(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    const place = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (place in packages) return place;
    if (at === "") return undefined;
  }
}

function reachable(packages) {
  const seen = new Set([""]);
  for (const from of seen) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[from];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const place = resolve(packages, from, name);
      if (place !== undefined) seen.add(place);
    }
  }
  return seen;
}

const work = mkdtempSync(path.join(tmpdir(), "lancedb-lock-"));
try {
  copyFileSync(path.join(here, "package.json"), path.join(work, "package.json"));
  execFileSync(
    "npm",
    ["install", "--package-lock-only", "--omit-lockfile-registry-resolved=true", "--no-audit", "--no-fund"],
    { cwd: work, stdio: ["ignore", "inherit", "inherit"] },
  );
  const lock = JSON.parse(readFileSync(path.join(work, "package-lock.json"), "utf8"));
  for (const name of unused) delete lock.packages["node_modules/@lancedb/lancedb"].optionalDependencies[name];
  const keep = reachable(lock.packages);
  for (const place of Object.keys(lock.packages)) {
    if (!keep.has(place)) delete lock.packages[place];
    else delete lock.packages[place].funding;
  }
  writeFileSync(path.join(here, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
} finally {
  rmSync(work, { recursive: true });
}
