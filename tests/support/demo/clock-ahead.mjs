// Loaded before the demo with `node --import`: sets its clock ahead, so that what happens every minute happens soon.
const aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);

if (aheadMs > 0) {
  const RealDate = Date;
  const now = () => RealDate.now() + aheadMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
}
