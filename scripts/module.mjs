// What scripts/split.mjs and scripts/first.mjs know of a WebAssembly module: its functions by name, who calls whom, its data.
import { createHash } from "node:crypto";
import binaryen from "../.tools/node_modules/binaryen/index.js";

const { BulkMemory, BulkMemoryOpt, NontrappingFPToInt, SignExt, MutableGlobals, ReferenceTypes, Multivalue } = binaryen.Features;

/** Reads a module with its names. Every call gives another one: what is made of one is not to change the next. */
export function read(bytes) {
  binaryen.setDebugInfo(true);
  const module = binaryen.readBinary(bytes);
  module.setFeatures(BulkMemory | BulkMemoryOpt | NontrappingFPToInt | SignExt | MutableGlobals | ReferenceTypes | Multivalue);
  return module;
}

/** A module as bytes, without names: nobody reads them in a browser. */
export function written(module) {
  if (!module.validate()) throw new Error("the module is not valid");
  binaryen.setDebugInfo(false);
  return module.emitBinary();
}

/** Its functions: name, parameters, results; an imported one has a `module`. */
export function functionsOf(module) {
  return Array.from({ length: module.getNumFunctions() }, (_, at) => binaryen.getFunctionInfo(module.getFunctionByIndex(at)));
}

/** A name without what differs between two builds of one source: the marks of the packages. */
export function plain(name) {
  return name.replace(/\[[0-9a-f]{8,16}\]/g, "");
}

/** A name in few letters: with their types in them many are long. */
export function fingerprint(name) {
  return createHash("sha256").update(plain(name)).digest("hex").slice(0, 8);
}

/** For each function by name: the names of those that it calls, and whether it handles a table's entries itself. */
export function callsOf(module) {
  const calls = new Map();
  let own;
  for (const line of module.emitText().split("\n")) {
    const opens = line.match(/^ \(func (\$"(?:\\.|[^"\\])*"|\$\S+?)(?=[\s)]|$)/);
    if (/^ \(/.test(line)) own = undefined;
    if (opens) calls.set(nameOf(opens[1]), (own = { callees: new Set(), tables: false }));
    if (!own) continue;
    for (const [, callee] of line.matchAll(/\((?:call|return_call|ref\.func) (\$"(?:\\.|[^"\\])*"|\$[^\s)]+)/g)) own.callees.add(nameOf(callee));
    own.tables ||= /\(table\.\w/.test(line);
  }
  return calls;
}

/** A name as the text format writes it, with a `$` and, if need be, in quotes. */
function nameOf(text) {
  if (!text.startsWith('$"')) return text.slice(1);
  return text.slice(2, -1).replace(/\\([0-9a-f]{2}|.)/g, (_, it) => (it.length === 2 ? String.fromCharCode(parseInt(it, 16)) : it));
}

/** Its data: where each piece goes and what is in it. */
export function dataOf(bytes) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const id = bytes[at++];
    const end = number() + at;
    if (id !== 11) {
      at = end;
      continue;
    }
    return Array.from({ length: number() }, () => {
      // An active piece of the only memory, at a constant address: a linker makes no other.
      if (number() !== 0 || bytes[at++] !== 0x41) throw new Error("a piece of data that is not at a constant address");
      const address = number();
      if (bytes[at++] !== 0x0b) throw new Error("an address that is not a constant");
      const length = number();
      at += length;
      return { address, data: bytes.subarray(at - length, at) };
    });
  }
  return [];
}

export { binaryen };
