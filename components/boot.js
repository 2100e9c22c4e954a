// Starts the lab: fetches its WebAssembly, takes the first screen away once it runs, and where it cannot run
// says why in words. The names of its two files come from the preload links that the build puts into the page.

const screen = document.getElementById("first-screen");
const state = document.getElementById("first-screen-state");

function fail(what, todo) {
  state.setAttribute("role", "alert");
  state.classList.add("failed");
  state.replaceChildren(...[what, todo].map((text) => Object.assign(document.createElement("p"), { textContent: text })));
}

// A file's name without its folder, for a message.
const name = (url) => new URL(url).pathname.split("/").pop();

// Once the lab has trapped, by a panic or by a stack that ran out, nothing of it runs any more: this tells the visitor, and
// offers the run that was open, whose address the lab leaves in the document.
function fallen({ error, reason = error }) {
  const trapped = reason instanceof WebAssembly.RuntimeError || /wasm-function/.test(reason?.stack);
  if (!trapped || document.getElementById("failed")) return;
  const section = Object.assign(document.createElement("section"), { id: "failed" });
  section.setAttribute("role", "alert");
  const add = (tag, textContent, more) => section.append(Object.assign(document.createElement(tag), { textContent }, more));
  const page = location.href.split("#")[0];
  const run = document.body.dataset.run;
  add("h1", "The lab has failed");
  add("p", "This is a fault in the lab, not in your run. The page stands still now; loading it again starts over.");
  add("pre", reason.stack ?? reason);
  add("a", "Open this run from its start", { href: run ? `${page}#${run}` : location.href, target: "_blank" });
  add("a", "Open the lab anew", { href: page });
  document.body.append(section);
}

async function start() {
  if (typeof WebAssembly !== "object") {
    fail(
      "This browser has WebAssembly switched off, and the lab is made of it.",
      "Switch it on (some browsers call it “JavaScript optimisation” or “lockdown mode”), or open this page in another browser.",
    );
    return;
  }
  const script = document.querySelector("link[rel=modulepreload]").href;
  const wasm = document.querySelector("link[rel=preload][as=fetch]").href;
  const missing = "The lab is two files, served beside this page. Check that both were copied, then load the page again.";

  let lab;
  try {
    lab = await import(script);
  } catch {
    fail(`The file ${name(script)} did not arrive.`, missing);
    return;
  }
  let answer;
  try {
    answer = await fetch(wasm);
  } catch {
    fail(`The file ${name(wasm)} did not arrive.`, missing);
    return;
  }
  if (!answer.ok) {
    fail(`The file ${name(wasm)} did not arrive: the server answered ${answer.status}.`, missing);
    return;
  }
  try {
    await lab.default({ module_or_path: answer });
  } catch (error) {
    fail(`The lab could not start: ${error.message ?? error}.`, "Loading the page again may help; an older browser may lack what it needs.");
    return;
  }
  screen.remove();
}

if (typeof WebAssembly === "object") {
  addEventListener("error", fallen);
  addEventListener("unhandledrejection", fallen);
}
await start();
