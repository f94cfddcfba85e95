import { nameOfThrown } from "./name-of-thrown.js";

export type SpanAttributes = Record<string, string | string[]>;

/** Names a span in its trace. */
export interface SpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/** The part of a span of OpenTelemetry that Countersign uses. */
export interface TracerSpan {
  spanContext(): SpanContext;
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

/** The part of a tracer of OpenTelemetry that Countersign uses: `trace.getTracer("countersign")` returns one. */
export interface Tracer {
  startActiveSpan<T>(
    name: string,
    options: { attributes?: SpanAttributes; links?: { context: SpanContext }[] },
    work: (span: TracerSpan) => T,
  ): T;
}

/** `SpanStatusCode.ERROR` of OpenTelemetry, which is not imported: nobody needs its packages for Countersign. */
const statusError = 2;

/**
 * Runs the work in a span, without a tracer in none. `add` adds attributes that the work finds out. The span of a
 * failure has the error's code or name, and never its message, which may quote arguments.
 *
 * @param linked A span of another trace that led to this one.
 */
export function span<T>(
  tracer: Tracer | undefined,
  name: string,
  attributes: SpanAttributes,
  work: (add: (more: SpanAttributes) => void, context?: SpanContext) => Promise<T>,
  linked?: SpanContext,
): Promise<T> {
  if (!tracer) return work(() => {});
  const options = { attributes, ...(linked && { links: [{ context: linked }] }) };
  return tracer.startActiveSpan(`countersign.${name}`, options, async (active) => {
    try {
      return await work((more) => void active.setAttributes(more), contextOf(active));
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
      active.setAttributes({ "error.type": typeof code === "string" ? code : nameOfThrown(error) });
      active.setStatus({ code: statusError });
      throw error;
    } finally {
      active.end();
    }
  });
}

/** What JSON keeps of a span's context. A tracer without an SDK has only zeros. */
function contextOf(active: TracerSpan): SpanContext | undefined {
  const { traceId, spanId, traceFlags } = active.spanContext();
  return /[^0]/.test(traceId) ? { traceId, spanId, traceFlags } : undefined;
}
