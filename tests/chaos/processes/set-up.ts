// Loaded before anything else of a process (`node --import`): its clock can be shifted, and it dies at the named
// point that it is told.
import { writeSync } from "node:fs";
import { z } from "zod";
import { lastWordsAt } from "../last-words.js";

const told = z.discriminatedUnion("type", [
  z.object({ type: z.literal("arm"), names: z.array(z.string()) }),
  z.object({ type: z.literal("clock"), offsetMs: z.number() }),
]);

let offsetMs = Number(process.env.CHAOS_CLOCK_OFFSET ?? 0);
let armed: string[] = [];

const RealDate = Date;
const now = () => RealDate.now() + offsetMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});

Reflect.set(globalThis, Symbol.for("countersign:crash-point"), (name: string) => {
  if (!armed.includes(name)) return;
  writeSync(2, lastWordsAt(name));
  process.kill(process.pid, "SIGKILL");
  // Nothing more may happen in this process, not even until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});

process.on("message", (message) => {
  const order = told.parse(message);
  if (order.type === "arm") armed = order.names;
  else offsetMs = order.offsetMs;
});
// Nobody is left who would start it again or stop it.
process.on("disconnect", () => process.exit(0));
