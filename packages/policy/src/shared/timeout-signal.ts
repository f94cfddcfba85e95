/**
 * A signal that fires after a time. Node 20 may collect a signal of `AbortSignal.timeout` that only `AbortSignal.any`
 * knows, and what waits for it then waits for ever; this one lives as long as its timer.
 */
export function timeoutSignal(limitMs: number): AbortSignal {
  const controller = new AbortController();
  const fire = () => controller.abort(new DOMException(`Nothing came within ${limitMs} ms`, "TimeoutError"));
  const timer: unknown = setTimeout(fire, limitMs);
  // Browsers return a number.
  if (timer instanceof Object && "unref" in timer && typeof timer.unref === "function") timer.unref();
  return controller.signal;
}
