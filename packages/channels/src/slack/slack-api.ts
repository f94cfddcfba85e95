import { timeoutSignal } from "@countersign/policy/internal/shared/timeout-signal";
import { WebClient } from "@slack/web-api";
import * as z from "zod";
import { SlackFailure } from "./slack-failure.js";

/** Milliseconds for one call of Slack's API. */
const callTimeoutMs = 10_000;

/** The library's logs contain texts of messages, so they are dropped. The failure holds everything that matters. */
const silent = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => "error" as never,
};

/** Calls Slack's Web API once. Retries are left to the caller. */
export class SlackApi {
  readonly #token: string;
  readonly #url: string;

  constructor({ token, apiUrl }: { token: string; apiUrl: string }) {
    this.#token = token;
    this.#url = apiUrl;
  }

  /** @throws SlackFailure */
  async call<T>(
    method: string,
    input: Record<string, unknown>,
    answer: z.ZodType<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const timeout = timeoutSignal(callTimeoutMs);
    const both = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const client = new WebClient(this.#token, {
      slackApiUrl: this.#url,
      allowAbsoluteUrls: false,
      logger: silent,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      fetch: (url, init) => fetch(url, { ...init, signal: both }),
    });
    let result: unknown;
    try {
      result = await client.apiCall(method, input);
    } catch (error) {
      throw both.aborted ? new SlackFailure({ code: "timeout" }) : SlackFailure.of(error);
    }
    const parsed = answer.safeParse(result);
    if (!parsed.success) throw new SlackFailure({ code: "unexpected_answer" });
    return parsed.data;
  }
}

export const anyAnswer = z.looseObject({});
