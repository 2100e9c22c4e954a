// Records what opening the page and playing its first scenario call: node scripts/first.mjs DIST
//
// Every function of the page's WebAssembly is made to say that it was called, the page is opened in headless Chromium, wide
// and narrow, played for a moment, by mouse and by keyboard, and a part of it is opened. Writes scripts/first.txt, which scripts/split.mjs goes by. DIST is not changed.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { binaryen, fingerprint, functionsOf, read, written } from "./module.mjs";

const FORMS = [{ width: 1440, height: 900 }, { width: 390, height: 844 }];
const DRIVER = 9_516;

const folder = mkdtempSync(join(tmpdir(), "redrive-first-"));
cpSync(process.argv[2], folder, { recursive: true });
const names = listen();
const children = [];
try {
  children.push(spawn(".tools/bin/chromedriver", [`--port=${DRIVER}`], { stdio: "ignore" }));
  const server = spawn("node", ["scripts/serve.mjs", folder, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(server);
  const address = await new Promise((found) => server.stdout.on("data", (text) => found(String(text).match(/http:\S+/)[0])));
  const called = new Set();
  for (const form of FORMS) for (const at of await visit(address, form)) called.add(fingerprint(names[at]));
  if (called.size < 1_000) throw new Error(`only ${called.size} functions were called: the page did not play`);
  writeFileSync("scripts/first.txt", `${[...called].sort().join("\n")}\n`);
  console.log(`first: ${called.size} of ${names.length} functions`);
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** Makes the copy's functions say that they are called; gives their names. */
function listen() {
  const wasm = join(folder, readdirSync(folder).find((it) => it.endsWith("_bg.wasm")));
  const module = read(readFileSync(wasm));
  const functions = functionsOf(module);
  module.addFunctionImport("called", "first", "called", binaryen.i32, binaryen.none);
  for (const [at, { name, module: imported, params, results, vars, body }] of functions.entries()) {
    if (imported) continue;
    const told = module.block(null, [module.call("called", [module.i32.const(at)], binaryen.none), body], results);
    module.removeFunction(name);
    module.addFunction(name, params, results, vars, told);
  }
  writeFileSync(wasm, written(module));
  const glue = wasm.replace("_bg.wasm", ".js");
  const calls = 'globalThis.calls = new Uint8Array(65536);\n        return { "first": { called: (at) => { calls[at] = 1; } },';
  const script = readFileSync(glue, "utf8");
  writeFileSync(glue, script.replace(/return \{(?=\s+__proto__: null,\s+"\.\/)/, calls));
  return functions.map(({ name }) => name);
}

/** Opens the page in a window of this form, plays and pauses; gives the numbers of the functions that were called. */
async function visit(address, { width, height }) {
  const ask = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${DRIVER}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (value?.error) throw new Error(value.message);
    return value;
  };
  const options = { args: ["--headless=new", "--no-sandbox", `--window-size=${width},${height}`] };
  const capabilities = { alwaysMatch: { browserName: "chrome", "goog:chromeOptions": options } };
  for (let tries = 0; tries < 50; tries++) {
    const there = await ask("GET", "/status").then(() => true, () => false);
    if (there) break;
    await sleep(200);
  }
  const { sessionId } = await ask("POST", "/session", { capabilities });
  const session = `/session/${sessionId}`;
  const run = (script) => ask("POST", `${session}/execute/sync`, { script, args: [] });
  try {
    await ask("POST", `${session}/url`, { url: address });
    for (let tries = 0; tries < 100 && !(await run("return !document.getElementById('first-screen')")); tries++) await sleep(100);
    await sleep(1_000);
    const press = (name) => run(`[...document.querySelectorAll("button")].find((it) => (it.ariaLabel ?? it.textContent) === "${name}").click()`);
    await press("Play");
    await sleep(3_000);
    await press("Pause");
    for (const key of [" ", " ", "ArrowRight"]) {
      await run(`document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", bubbles: true, cancelable: true }))`);
      await sleep(700);
    }
    await run(`[...document.querySelectorAll("button")].find((it) => /^orders, log/.test(it.ariaLabel))?.click()`);
    await sleep(700);
    return await run("return [...calls].flatMap((was, at) => (was ? [at] : []))");
  } finally {
    await ask("DELETE", session);
  }
}
