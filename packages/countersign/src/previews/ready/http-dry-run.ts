import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { Preview, PreviewContext, PreviewResult } from "../preview.js";

export interface HttpDryRunOptions<Input> {
  /** The request that asks the service what the call would change: with its parameter for a dry run. */
  request: (input: Input, context: PreviewContext) => Request | Promise<Request>;
  /**
   * What the response says. Throws if the response does not say that it was a dry run.
   *
   * @param body The response's JSON, which nobody has checked.
   */
  effects: (body: unknown, input: Input, context: PreviewContext) => PreviewResult | Promise<PreviewResult>;
}

const maxBytes = 1024 * 1024;

/**
 * A preview by a service that can tell what a request would change: with a dry-run parameter, or by an address that
 * calculates without effect. Only a response of 200 to 299 with at most 1 MiB of JSON is a preview. Redirects are not
 * followed, because they can lose the parameter.
 *
 * A service that does not know the parameter may ignore it and do the work. Try each request against a test system first.
 *
 * @throws CountersignError `invalid_option`, naming the option.
 *
 * @example
 * ```ts
 * import { httpDryRun } from "countersign/previews";
 * import { z } from "zod";
 *
 * const answer = z.object({ dryRun: z.literal(true), paid: z.number(), refunded: z.number() });
 *
 * export const refundPreview = httpDryRun({
 *   request: ({ orderId, amount }: { orderId: string; amount: number }) =>
 *     new Request("https://shop.example.com/refunds?dry_run=true", {
 *       method: "POST",
 *       headers: { "content-type": "application/json" },
 *       body: JSON.stringify({ orderId, amount }),
 *     }),
 *   effects: (body, { orderId }) => {
 *     const { paid, refunded } = answer.parse(body);
 *     return { effects: [{ target: `order ${orderId}`, before: { paid }, after: { refunded } }] };
 *   },
 * });
 * ```
 */
export function httpDryRun<Input = Record<string, unknown>>(
  options: HttpDryRunOptions<Input>,
): Preview<Input> {
  const { request, effects } = options;
  if (typeof request !== "function")
    throw wrongOption("request", "must be a function that returns a Request");
  if (typeof effects !== "function")
    throw wrongOption("effects", "must be a function of the response's JSON");
  return async (input, context) => {
    const asked = await request(input, context);
    const signal = AbortSignal.any([asked.signal, context.signal]);
    const response = await fetch(asked, { signal, redirect: "manual" });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`The dry run was answered with status ${response.status}`);
    }
    return effects(JSON.parse(await limitedText(response)), input, context);
  };
}

/** Counts what arrives, which the response's own header may not say. */
async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    // Leaving the loop closes the connection.
    if (size > maxBytes) throw new Error("The answer to the dry run is larger than 1 MiB");
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
