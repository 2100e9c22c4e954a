// Starts the lab: fetches its WebAssembly, takes the first screen away once it runs, and where it cannot run
// says why in words. The names of its script and of its first part come from the preload links that the build puts into the
// page; where the build has cut the lab in two, the script knows how to fetch the rest.

const screen = document.getElementById("first-screen");
const state = document.getElementById("first-screen-state");

function fail(what, todo) {
  state.setAttribute("role", "alert");
  state.classList.add("failed");
  state.replaceChildren(...[what, todo].map((text) => Object.assign(document.createElement("p"), { textContent: text })));
}

const COPIED = "The lab is a script and WebAssembly, served beside this page. Check that every file was copied, then load the page again.";

// A file's name without its folder, for a message.
const name = (url) => new URL(url).pathname.split("/").pop();

// Once the lab has trapped, by a panic or by a stack that ran out, nothing of it runs any more: this tells the visitor, and
// offers the run that was open, whose address the lab leaves in the document.
function fallen({ error, reason = error }) {
  const trapped = reason?.name === "FileMissing" || reason instanceof WebAssembly.RuntimeError || /wasm-function/.test(reason?.stack);
  if (!trapped || document.getElementById("failed")) return;
  const section = Object.assign(document.createElement("section"), { id: "failed" });
  section.setAttribute("role", "alert");
  const add = (tag, textContent, more) => section.append(Object.assign(document.createElement(tag), { textContent }, more));
  const page = location.href.split("#")[0];
  const run = document.body.dataset.run;
  if (reason?.name === "FileMissing") {
    add("h1", "Part of the lab did not arrive");
    add("p", `${reason.message} What you asked for is in it, and nothing goes on without it. ${COPIED}`);
  } else {
    add("h1", "The lab has failed");
    add("p", "This is a fault in the lab, not in your run. The page stands still now; loading it again starts over.");
    add("pre", reason.stack ?? reason);
  }
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

  let lab;
  try {
    lab = await import(script);
  } catch {
    fail(`The file ${name(script)} did not arrive.`, COPIED);
    return;
  }
  let answer;
  try {
    answer = await fetch(wasm);
  } catch {
    fail(`The file ${name(wasm)} did not arrive.`, COPIED);
    return;
  }
  if (!answer.ok) {
    fail(`The file ${name(wasm)} did not arrive: the server answered ${answer.status}.`, COPIED);
    return;
  }
  // An address of a run or of another scenario asks for what is in the rest: it is not worth opening without.
  if (location.hash) await lab.fetchRest?.().catch(() => {});
  try {
    await lab.default({ module_or_path: answer });
  } catch (error) {
    if (error.name === "FileMissing") return fail(error.message, COPIED);
    fail(`The lab could not start: ${error.message ?? error}.`, "Loading the page again may help; an older browser may lack what it needs.");
    return;
  }
  screen.remove();
  if (lab.rest) await bringRest(lab);
}

// Fetches what the lab has begun without. Until it is there whoever asks for it waits; that it does not come is said, and
// tried again.
async function bringRest(lab) {
  const note = Object.assign(document.createElement("p"), { id: "rest-missing" });
  note.setAttribute("role", "status");
  for (let seconds = 1; ; seconds = Math.min(2 * seconds, 30)) {
    try {
      await lab.rest();
      note.remove();
      return;
    } catch (error) {
      note.textContent = `${error.message} Opening a part and playing work without it; the lab tries again.`;
      document.body.append(note);
      await new Promise((tried) => setTimeout(tried, 1_000 * seconds));
    }
  }
}

if (typeof WebAssembly === "object") {
  addEventListener("error", fallen);
  addEventListener("unhandledrejection", fallen);
}
await start();
