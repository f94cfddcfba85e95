// Loaded before anything else of a process (`node --import`): its clock can be shifted, and it dies at the named
// point that it is told.
import { z } from "zod";

const told = z.discriminatedUnion("type", [
  z.object({ type: z.literal("arm"), name: z.string().nullable() }),
  z.object({ type: z.literal("clock"), offsetMs: z.number() }),
]);

let offsetMs = Number(process.env.CHAOS_CLOCK_OFFSET ?? 0);
let armed: string | null = null;

const RealDate = Date;
const now = () => RealDate.now() + offsetMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});

Reflect.set(globalThis, Symbol.for("countersign:crash-point"), (name: string) => {
  if (name !== armed) return;
  process.kill(process.pid, "SIGKILL");
  // Nothing more may happen in this process, not even until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});

process.on("message", (message) => {
  const order = told.parse(message);
  if (order.type === "arm") armed = order.name;
  else offsetMs = order.offsetMs;
});
// Nobody is left who would start it again or stop it.
process.on("disconnect", () => process.exit(0));
