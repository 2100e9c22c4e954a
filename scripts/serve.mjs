// A static file server for this machine alone: node scripts/serve.mjs FOLDER [--port N] [--under /a/path/]
// Prints the address once it answers. Without --port it takes 8080 or the next free one; 0 is any free one.
// The lab needs nothing of a server but files with the right content type: any other will do.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { parseArgs } from "node:util";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
const PORTS_TRIED = 50;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: "string" }, under: { type: "string", default: "/" } },
});
const root = resolve(positionals[0] ?? "dist");
const under = values.under;
if (!under.startsWith("/") || !under.endsWith("/")) {
  console.error(`--under ${under}: a path that begins and ends with /`);
  process.exit(2);
}
const port = Number(values.port ?? 8080);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(`--port ${values.port}: a whole number from 0 to 65535`);
  process.exit(2);
}

// The file that a request means, or nothing where there is none inside the folder.
function fileFor(url) {
  let path;
  try {
    path = decodeURIComponent(new URL(url, "http://localhost").pathname);
  } catch {
    return undefined;
  }
  if (!path.startsWith(under)) return undefined;
  let file = resolve(join(root, path.slice(under.length)));
  if (file !== root && !file.startsWith(root + sep)) return undefined;
  let stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    file = join(file, "index.html");
    stat = statSync(file, { throwIfNoEntry: false });
  }
  return stat?.isFile() ? { file, bytes: stat.size } : undefined;
}

const server = createServer((request, response) => {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { allow: "GET, HEAD" }).end();
    return;
  }
  const found = fileFor(request.url);
  if (!found) {
    response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("There is no such file here.\n");
    return;
  }
  response.writeHead(200, {
    "content-type": TYPES[extname(found.file)] ?? "application/octet-stream",
    "content-length": found.bytes,
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  });
  if (request.method === "HEAD") response.end();
  else createReadStream(found.file).on("error", () => response.destroy()).pipe(response);
});

let tries = 0;
server.on("error", (error) => {
  if (error.code === "EADDRINUSE" && values.port === undefined && ++tries < PORTS_TRIED) {
    server.listen(port + tries, "127.0.0.1");
    return;
  }
  console.error(`cannot serve on port ${port + tries}: ${error.message}`);
  process.exit(1);
});
server.on("listening", () => {
  console.log(`Redrive is at http://127.0.0.1:${server.address().port}${encodeURI(under)}`);
});
server.listen(port, "127.0.0.1");
