// Loaded before the demo with `node --import`: ends the process when it comes to the point that its parent names, for the
// time that it says.
let armed = { point: undefined, times: 0 };

Reflect.set(globalThis, Symbol.for("countersign:crash-point"), (name) => {
  if (name !== armed.point || --armed.times > 0) return;
  process.kill(process.pid, "SIGKILL");
  // Nothing more may happen in this process, not even until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});

process.on("message", (told) => {
  armed = told;
  process.send("armed");
});
// Without its parent, nothing would end this process.
process.on("disconnect", () => process.exit(0));
