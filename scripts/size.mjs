// The size gate: node scripts/size.mjs DIST
// Adds up the WebAssembly and JavaScript in DIST, each file compressed as a web server would at best (brotli, quality 11):
// what a visitor downloads before the lab moves, and everything. Fails where either is over its budget.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const FIRST_BYTES = 300_000;
const ALL_BYTES = 526_000;
// Fetched while the lab moves already, and for jobs that run beside it.
const LATER = /_rest\.wasm$|^worker\.js$/;
const dist = process.argv[2];
const thousands = (bytes) => bytes.toLocaleString("en").padStart(10);

let first = 0;
let all = 0;
for (const name of readdirSync(dist, { recursive: true }).sort()) {
  if (!/\.(wasm|m?js)$/.test(name)) continue;
  const plain = readFileSync(join(dist, name));
  const packed = brotliCompressSync(plain, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
  }).length;
  all += packed;
  if (!LATER.test(name)) first += packed;
  console.log(`${thousands(packed)} bytes of ${thousands(plain.length)}  ${name}`);
}
console.log(`${thousands(first)} bytes before the lab moves, of ${FIRST_BYTES.toLocaleString("en")} allowed`);
console.log(`${thousands(all)} bytes in all, of ${ALL_BYTES.toLocaleString("en")} allowed`);
if (first === 0 || first > FIRST_BYTES || all > ALL_BYTES) process.exit(1);
