// LanceDB behind JSON lines: a request a line on stdin, {id, call, table, args},
// its answer a line on stdout, {id, result} or {id, error}. Calls run side by
// side, so answers come in any order. The end of stdin ends the process.
//
// `table` is the number of an open table: the calls that open one return it.

import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createTable, lancedb, version } from "./lancedb.mjs";

// stdout is for answers alone.
console.log = console.info = console.debug = console.error;

const tables = new Map();
let opened = 0;

function keep(table) {
  opened += 1;
  tables.set(opened, table);
  return { table: opened };
}

// A race that LanceDB lost and did not settle by itself: nothing is committed.
const lostRace = /commit conflict for version|too many concurrent writ|incompatible transaction/i;

async function appendEach(table, rows, tries) {
  const versions = [];
  let conflicts = 0;
  for (const row of rows) {
    for (let left = tries; ; ) {
      try {
        versions.push((await table.add([row])).version);
        break;
      } catch (err) {
        left -= 1;
        if (!lostRace.test(err.message) || left <= 0) {
          throw new Error(`row ${row.id}, after ${versions.length} rows and ${conflicts} conflicts: ${err.message}`);
        }
        conflicts += 1;
        await sleep(Math.random() * 20);
        await table.checkoutLatest();
      }
    }
  }
  return { versions, conflicts };
}

async function rows(table) {
  const found = await table.query().select(["id", "text"]).toArray();
  return found.map(({ id, text }) => ({ id, text })).sort((a, b) => a.id - b.id);
}

async function versions(table) {
  const found = await table.listVersions();
  return found.map(({ version, timestamp, metadata }) => ({
    version,
    timestamp,
    rows: Number(metadata.total_rows),
  }));
}

const databaseCalls = {
  async open({ uri, table, branch, version, storageOptions }) {
    const db = await lancedb.connect(uri, { storageOptions });
    return keep(await db.openTable(table, undefined, { branch, version, storageOptions }));
  },
  async create({ uri, table, rows, scheme, storageOptions }) {
    const db = await lancedb.connect(uri, { storageOptions });
    return keep(await createTable(db, table, rows, { scheme, storageOptions }));
  },
  async tables({ uri, storageOptions }) {
    const db = await lancedb.connect(uri, { storageOptions });
    return db.tableNames();
  },
};

const tableCalls = {
  version: (table) => table.version(),
  branch: (table) => table.currentBranch() ?? "",
  count: (table) => table.countRows(),
  rows,
  versions,
  append: async (table, { rows }) => (await table.add(rows)).version,
  appendEach: (table, { rows, tries }) => appendEach(table, rows, tries),
  delete: async (table, { where }) => (await table.delete(where)).version,
  checkout: (table, { version }) => table.checkout(version),
  checkoutLatest: (table) => table.checkoutLatest(),
  restore: async (table) => {
    await table.restore();
    return table.version();
  },
  async tags(table) {
    const found = Object.entries(await (await table.tags()).list());
    return Object.fromEntries(found.map(([name, { version, manifestSize }]) => [name, { version, manifestSize }]));
  },
  createTag: async (table, { tag, version }) => (await table.tags()).create(tag, version),
  async branches(table) {
    const found = Object.entries(await (await table.branches()).list());
    return Object.fromEntries(
      found.map(([name, { parentBranch, parentVersion, manifestSize }]) => [
        name,
        { parentBranch, parentVersion, manifestSize },
      ]),
    );
  },
  createBranch: async (table, { branch, from, version }) =>
    keep(await (await table.branches()).create(branch, from, version)),
};

async function answer({ call, table, args }) {
  if (Object.hasOwn(databaseCalls, call)) return databaseCalls[call](args);
  if (!Object.hasOwn(tableCalls, call)) throw new Error(`the driver knows no call ${call}`);
  const handle = tables.get(table);
  if (handle === undefined) throw new Error(`no table ${table} is open`);
  return tableCalls[call](handle, args);
}

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const request = JSON.parse(line);
    try {
      send({ id: request.id, result: (await answer(request)) ?? null });
    } catch (err) {
      send({ id: request.id, error: err.message });
    }
  })
  // A call under way would keep the process alive.
  .on("close", () => process.exit(0));

send({ ready: version });
