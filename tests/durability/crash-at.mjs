// Loaded before the demo with `node --import`: ends the process when it comes to the point CRASH_AT for the CRASH_TIMEth time.
let left = Number(process.env.CRASH_TIME ?? 1);

process.env.CRASH_AT &&
  Reflect.set(globalThis, Symbol.for("countersign:crash-point"), (name) => {
    if (name !== process.env.CRASH_AT || --left > 0) return;
    process.kill(process.pid, "SIGKILL");
    // Nothing more may happen in this process, not even until the signal arrives.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
