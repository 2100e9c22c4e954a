// Plays the benchmarks in headless Chromium and prints what it took: node bench.mjs FOLDER CHROMIUM RUNS NAME…
// FOLDER holds what wasm-bindgen made of this package. Each name is played RUNS times; the median counts.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [folder, chromium, runs, ...names] = process.argv.slice(2);

const page = `<!doctype html><script type="module">
import init, { play } from "./redrive_browser_bench.js";
await init();
const rows = [];
for (const name of ${JSON.stringify(names)}) {
  const times = [];
  let played;
  for (let run = 0; run < ${Number(runs)}; run += 1) {
    const start = performance.now();
    played = play(name);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  rows.push({ name, messages: played.messages, hash: played.hash, ms: times[times.length >> 1] });
}
await fetch("/result", { method: "POST", body: JSON.stringify(rows) });
</script>`;

const types = { js: "text/javascript", wasm: "application/wasm" };
const profile = mkdtempSync(join(tmpdir(), "redrive-bench-"));
let browser;

const server = createServer((request, response) => {
  if (request.method === "POST") {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      response.end();
      for (const { name, messages, hash, ms } of JSON.parse(body)) {
        const rate = (messages / ms / 1_000).toFixed(2);
        console.log(`${name.padEnd(20)} ${(ms / 1_000).toFixed(2).padStart(7)} s  ${rate} million messages/s  trace ${hash}`);
      }
      browser.kill();
      server.close();
    });
    return;
  }
  const name = request.url.slice(1);
  if (name === "") return response.writeHead(200, { "content-type": "text/html" }).end(page);
  const path = join(folder, name);
  if (!existsSync(path)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[name.split(".").pop()] ?? "text/plain" }).end(readFileSync(path));
});

server.listen(0, "127.0.0.1", () => {
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
  flags.push("--disable-background-networking", "--disable-component-update", "--disable-sync", `--user-data-dir=${profile}`);
  browser = spawn(chromium, [...flags, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
  // The browser's helpers write for a moment after it has ended.
  browser.on("exit", () => setTimeout(() => rmSync(profile, { recursive: true, force: true, maxRetries: 9 }), 1_000));
});
