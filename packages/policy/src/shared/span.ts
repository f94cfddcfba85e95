import { nameOfThrown } from "./name-of-thrown.js";

export type SpanAttributes = Record<string, string | string[]>;

/** The part of a span of OpenTelemetry that Countersign uses. */
export interface TracerSpan {
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

/** The part of a tracer of OpenTelemetry that Countersign uses: `trace.getTracer("countersign")` returns one. */
export interface Tracer {
  startActiveSpan<T>(
    name: string,
    options: { attributes?: SpanAttributes },
    work: (span: TracerSpan) => T,
  ): T;
}

/** `SpanStatusCode.ERROR` of OpenTelemetry, which is not imported: nobody needs its packages for Countersign. */
const statusError = 2;

/**
 * Runs the work in a span, without a tracer in none. `add` adds attributes that the work finds out. The span of a
 * failure has the error's code or name, and never its message, which may quote arguments.
 */
export function span<T>(
  tracer: Tracer | undefined,
  name: string,
  attributes: SpanAttributes,
  work: (add: (more: SpanAttributes) => void) => Promise<T>,
): Promise<T> {
  if (!tracer) return work(() => {});
  return tracer.startActiveSpan(`countersign.${name}`, { attributes }, async (active) => {
    try {
      return await work((more) => void active.setAttributes(more));
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
