// Loaded before the demo with `node --import`: ends the process the first time it comes to the point CRASH_AT.
process.env.CRASH_AT &&
  Reflect.set(globalThis, Symbol.for("countersign:crash-point"), (name) => {
    if (name !== process.env.CRASH_AT) return;
    process.kill(process.pid, "SIGKILL");
    // Nothing more may happen in this process, not even until the signal arrives.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
