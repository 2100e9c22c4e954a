// Cuts the page's WebAssembly in two: node scripts/split.mjs DIST
//
// The first part is what opening a page and playing a run call: it starts alone. The rest (other brokers' machines, every
// crash, comparisons, the library) is fetched once the lab moves, and joins it. `scripts/first.txt` says which functions
// are first; any other is in the rest. Both parts share memory and tables: a function of the rest has a stub in
// the first part, which calls it through a table and, where the rest is not there yet, fetches it first (`scripts/rest.js`).
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binaryen, callsOf, dataOf, fingerprint, functionsOf, plain, read, written } from "./module.mjs";

const dist = process.argv[2];
const file = (pattern) => readdirSync(dist).find((name) => pattern.test(name)) ?? fail(`${dist} has no file like ${pattern}`);
const wasmFile = file(/_bg\.wasm$/);
const glueFile = wasmFile.replace("_bg.wasm", ".js");
const bytes = readFileSync(join(dist, wasmFile));

// Read by functions of the rest only, as `src/scenario/library.rs` says: these texts go with it.
const LIBRARY = "src/scenario/library";
const FIRST_SCENARIO = "order-shop.json";
const READS_LIBRARY = "redrive::scenario::library::later";
// As many as WebAssembly can have.
const MOST_PAGES = 65_536;

function fail(why) {
  console.error(`split: ${why}`);
  process.exit(1);
}

const whole = read(bytes);
const functions = functionsOf(whole);
const made = functions.filter((it) => !it.module);
const byName = new Map(functions.map((it) => [it.name, it]));
const first = new Set(readFileSync("scripts/first.txt", "utf8").split("\n"));
const calls = callsOf(whole);
// What handles a table's entries itself belongs to the glue between WebAssembly and JavaScript.
const isFirst = (name) => calls.get(name).tables || (first.has(fingerprint(name)) && !plain(name).includes(READS_LIBRARY));
const moved = new Set(made.map((it) => it.name).filter((name) => !isFirst(name)));

// Where the two meet: functions of the rest that the first part, a table or JavaScript calls; and those the rest calls.
const exported = listed(whole.getNumExports(), (at) => binaryen.getExportInfo(whole.getExportByIndex(at)));
const isFunction = ({ kind }) => kind === binaryen.ExternalFunction;
const segments = listed(whole.getNumElementSegments(), (at) => binaryen.getElementSegmentInfo(whole.getElementSegmentByIndex(at)));
const entries = new Set([...segments.flatMap(({ data }) => data), ...exported.filter(isFunction).map(({ value }) => value)]);
const exits = new Set();
for (const { name } of made) {
  for (const callee of calls.get(name).callees) {
    if (!moved.has(name) && moved.has(callee)) entries.add(callee);
    if (moved.has(name) && !moved.has(callee)) exits.add(callee);
  }
}
// In the order in which the module has them: numbers that go up by one compress well.
const stubs = made.map((it) => it.name).filter((name) => moved.has(name) && entries.has(name));
const shared = functions.map((it) => it.name).filter((name) => exits.has(name));
const globals = listed(whole.getNumGlobals(), (at) => binaryen.getGlobalInfo(whole.getGlobalByIndex(at)));
const functionTable = segments[0].table;
const [kept, later] = cutData();

// The files have one name, so that no browser ever joins parts of two builds.
const parts = { _bg: firstPart(), _rest: restPart() };
const loader = readFileSync("scripts/rest.js", "utf8");
const hash = createHash("sha256").update(parts._bg).update(parts._rest).update(loader).digest("hex").slice(0, 16);
const name = `redrive-lab-${hash}`;
writeGlue();
for (const [end, part] of Object.entries(parts)) writeFileSync(join(dist, `${name}${end}.wasm`), part);
console.log(`split: ${made.length - moved.size} functions first, ${moved.size} in the rest, ${stubs.length} stubs`);

function listed(count, get) {
  return Array.from({ length: count }, (_, at) => get(at));
}

/** A short name for the place of something that both parts know. */
function short(at) {
  return at.toString(36);
}

function firstPart() {
  const part = read(bytes);
  part.addTable("rest", stubs.length, stubs.length, binaryen.funcref);
  part.addTableExport("rest", "rest");
  part.addGlobal("come", binaryen.i32, true, part.i32.const(0));
  part.addGlobalExport("come", "come");
  part.addFunctionImport("need", "rest", "need", binaryen.none, binaryen.none);
  // The number of a stub, once what it stands for is there.
  const there = part.if(part.i32.eqz(part.global.get("come", binaryen.i32)), part.call("need", [], binaryen.none));
  const number = part.block(null, [there, part.local.get(0, binaryen.i32)], binaryen.i32);
  part.addFunction("there", binaryen.i32, binaryen.i32, [], number);
  for (const gone of moved) part.removeFunction(gone);
  for (const [at, stub] of stubs.entries()) {
    const { params, results } = byName.get(stub);
    const given = binaryen.expandType(params).map((type, place) => part.local.get(place, type));
    const place = part.call("there", [part.i32.const(at)], binaryen.i32);
    part.addFunction(stub, params, results, [], part.call_indirect("rest", place, given, params, results));
  }
  for (const [at, it] of shared.entries()) part.addFunctionExport(it, short(at));
  for (const [at, it] of globals.entries()) part.addGlobalExport(it.name, `$${at}`);
  part.addTableExport(functionTable, "functions");
  setMemory(part, whole.getMemoryInfo().initial, kept);
  return written(part);
}

function restPart() {
  const part = read(bytes);
  for (const segment of segments) part.removeElementSegment(segment.name);
  for (const it of exported) part.removeExport(it.name);
  for (const it of functions) if (!moved.has(it.name)) part.removeFunction(it.name);
  for (const [at, it] of shared.entries()) {
    const { params, results } = byName.get(it);
    part.addFunctionImport(it, "first", short(at), params, results);
  }
  for (const [at, it] of globals.entries()) {
    part.removeGlobal(it.name);
    part.addGlobalImport(it.name, "first", `$${at}`, it.type, it.mutable);
  }
  part.addTableImport(functionTable, "first", "functions");
  setMemory(part, 1, later);
  part.addMemoryImport("0", "first", "memory");
  part.addTable("rest", stubs.length, stubs.length, binaryen.funcref);
  part.addTableImport("rest", "first", "rest");
  part.addActiveElementSegment("rest", "stubs", stubs, part.i32.const(0));
  part.runPasses(["remove-unused-module-elements"]);
  return written(part);
}

/** Gives a part the memory and these pieces of data. */
function setMemory(part, pages, pieces) {
  const placed = pieces.map(({ address, data }) => ({ offset: part.i32.const(address), data, passive: false }));
  part.setMemory(pages, MOST_PAGES, null, placed);
}

/** The data in two: what is there from the start, and the texts of the library but for the scenario that opens first. */
function cutData() {
  const texts = readdirSync(LIBRARY).filter((it) => it !== FIRST_SCENARIO).map((it) => readFileSync(join(LIBRARY, it)));
  const stays = [];
  const leaves = [];
  for (const { address, data } of dataOf(bytes)) {
    const cuts = texts.map((text) => ({ from: data.indexOf(text), length: text.length })).filter(({ from }) => from >= 0);
    cuts.sort((one, other) => one.from - other.from);
    let at = 0;
    const take = (list, to) => {
      if (to > at) list.push({ address: address + at, data: data.subarray(at, to) });
      at = to;
    };
    for (const { from, length } of cuts) {
      take(stays, from);
      take(leaves, from + length);
    }
    take(stays, data.length);
  }
  if (leaves.length !== texts.length) fail(`${leaves.length} of the library's ${texts.length} texts are in ${wasmFile}`);
  return [stays, leaves];
}

/** The script that starts the first part, with what fetches the rest; and the page, with the files' names. */
function writeGlue() {
  const glue = readFileSync(join(dist, glueFile), "utf8");
  const imports = /(\n\s*"\.\/[\w-]+_bg\.js": import0,)/;
  if (!imports.test(glue)) fail(`${glueFile} gives the WebAssembly its imports in another way`);
  const rest = loader.replace("REST_FILE", `${name}_rest.wasm`);
  writeFileSync(join(dist, `${name}.js`), glue.replace(imports, '$1\n        "rest": { need },').replaceAll(wasmFile, `${name}_bg.wasm`) + rest);
  const page = readFileSync(join(dist, "index.html"), "utf8");
  writeFileSync(join(dist, "index.html"), page.replaceAll(glueFile, `${name}.js`).replaceAll(wasmFile, `${name}_bg.wasm`));
  for (const old of [wasmFile, glueFile]) rmSync(join(dist, old));
}
