// Plays one seat of a JavaScript file with QuickJS, by seat.js, which precedes this file. The argument is the source.
import * as std from "qjs:std";

const source = scriptArgs[0];
const PLACE = "<evalScript>"; // the name that evalScript gives to the module

function load() {
  std.evalScript(source, { compile_only: true, compile_module: true });
  return import(PLACE);
}

const answer = playSeat(load, PLACE, "bot.js", (text) => std.err.puts(text));
for (let line; (line = std.in.getline()) !== null; ) {
  std.out.puts(`${await answer(line)}\n`);
  std.out.flush();
}
