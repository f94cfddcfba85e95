export const handlerKinds = ["once", "durable", "idempotent"] as const;

/**
 * How a gated handler runs. `once`: inside one step, started at most once. `durable`: in the function body, because
 * it uses step tools. `idempotent`: like `once`, but run again after a crash.
 */
export type HandlerKind = (typeof handlerKinds)[number];
