// The size gate: node scripts/size.mjs DIST
// Adds up what a visitor downloads before the lab moves, the WebAssembly and JavaScript in DIST, each file
// compressed as a web server would at best (brotli, quality 11), and fails where that is over the budget.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const BUDGET_BYTES = 485_000;
const dist = process.argv[2];
const thousands = (bytes) => bytes.toLocaleString("en").padStart(10);

let total = 0;
for (const name of readdirSync(dist, { recursive: true }).sort()) {
  if (!/\.(wasm|m?js)$/.test(name)) continue;
  const plain = readFileSync(join(dist, name));
  const packed = brotliCompressSync(plain, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
  }).length;
  total += packed;
  console.log(`${thousands(packed)} bytes of ${thousands(plain.length)}  ${name}`);
}
console.log(`${thousands(total)} bytes in all, of ${BUDGET_BYTES.toLocaleString("en")} allowed`);
if (total === 0 || total > BUDGET_BYTES) process.exit(1);
