/**
 * How a gated handler is run. `once`: inside one step, started at most once. `durable`: in the function's body,
 * because it uses step tools itself. `idempotent`: like `once`, but run again after a crash.
 */
export type HandlerKind = "once" | "durable" | "idempotent";
