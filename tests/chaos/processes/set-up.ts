// Loaded before all other modules of a process (`node --import`): makes its clock adjustable, and kills it at the named
// point that the driver chose.
import { writeSync } from "node:fs";
import { z } from "zod";
import { lastWordsAt } from "../crash-report.js";

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
  // Nothing more may happen in this process until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});

process.on("message", (message) => {
  const order = told.parse(message);
  if (order.type === "arm") armed = order.names;
  else offsetMs = order.offsetMs;
});
// The driver is gone, so nothing would restart or stop this process.
process.on("disconnect", () => process.exit(0));
