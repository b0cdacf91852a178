// The pinned LanceDB, out of the folder that package lancedb installs it into.

import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import path from "node:path";

const require = createRequire(import.meta.url);
const pinned = require("./package.json").dependencies["@lancedb/lancedb"];

function load() {
  const folder =
    process.env.LANCECOMMIT_LANCEDB_DIR ?? path.join(import.meta.dirname, "..", ".cache", `lancedb-${pinned}`);
  const from = path.join(folder, "package.json");
  if (!existsSync(from)) {
    throw new Error(`LanceDB ${pinned} is not in ${folder}: start scripts with "go run ./integration/lancedb/run SCRIPT"`);
  }
  const requireInstalled = createRequire(from);
  return { lancedb: requireInstalled("@lancedb/lancedb"), arrow: requireInstalled("apache-arrow") };
}

export const { lancedb, arrow } = load();

export const version = pinned;

// The columns of every table here: enough to tell one row from another.
export const schema = new arrow.Schema([
  new arrow.Field("id", new arrow.Int32(), false),
  new arrow.Field("text", new arrow.Utf8(), false),
]);

// Makes `table` in the open database `db` with naming scheme "V1" or "V2".
export function createTable(db, table, rows, { scheme = "V2", storageOptions = {} } = {}) {
  return db.createTable(table, rows, {
    schema,
    storageOptions: { ...storageOptions, new_table_enable_v2_manifest_paths: String(scheme === "V2") },
  });
}
