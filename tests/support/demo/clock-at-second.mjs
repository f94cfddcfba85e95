// Loaded before the demo with `node --import`: sets its clock ahead, to the second CLOCK_SECOND of a minute. So what happens
// every minute happens soon.
const second = process.env.CLOCK_SECOND;

if (second !== undefined) {
  const RealDate = Date;
  const minute = 60_000;
  const offsetMs = (Number(second) * 1000 - (RealDate.now() % minute) + minute) % minute;
  const now = () => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
}
