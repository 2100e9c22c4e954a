
// The rest of the lab: scripts/split.mjs appends this to the script that starts its first part, whose exports are `wasm`.
const REST = new URL("REST_FILE", import.meta.url);
let fetched;
let compiled;

// Fetches the rest, once. Fails where it does not arrive; the next call tries again.
export function fetchRest() {
  fetched ??= fetch(REST)
    .then((answer) => (answer.ok ? answer.arrayBuffer() : Promise.reject()))
    .then((bytes) => WebAssembly.compile(bytes))
    .then((module) => (compiled = module))
    .catch(() => {
      fetched = undefined;
      throw missing();
    });
  return fetched;
}

// Fetches it and joins it to the first part, which runs.
export function rest() {
  return fetchRest().then(join);
}

// A function of the rest is called and the rest is not there: the visitor was quicker than the network. Nothing can go on
// without it, so this waits.
function need() {
  if (compiled) return join(compiled);
  const request = new XMLHttpRequest();
  try {
    request.open("GET", REST, false);
    // In a page only text may be waited for: each byte as a character.
    request.overrideMimeType("text/plain; charset=x-user-defined");
    request.send();
  } catch {
    throw missing();
  }
  if (request.status !== 200) throw missing();
  join(new WebAssembly.Module(Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0))));
}

function join(module) {
  if (wasm.come.value) return;
  new WebAssembly.Instance(module, { first: wasm });
  wasm.come.value = 1;
}

function missing() {
  return Object.assign(new Error(`The file ${REST.pathname.split("/").pop()} did not arrive.`), { name: "FileMissing" });
}
