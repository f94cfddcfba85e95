import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Journal } from "./journal.js";
import type { PersonId } from "./scenario/people.js";

export interface Answer {
  status: number;
  /** How often the request was sent. */
  attempts?: number;
  body: unknown;
}

export interface Question {
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

export const problem = z.object({ code: z.string() });

/** Milliseconds between two attempts of a person who got no clear answer. */
const pauseMs = 600;
const patienceMs = 10_000;

/** The API as people see it. */
export class Client {
  constructor(
    private readonly options: {
      apiUrl: string;
      journal: Journal /** True when everything is over. */;
      over: () => boolean;
    },
  ) {}

  /** Repeats a request until the answer is clear: no silence, no server failure, and not "not open yet". */
  async insist(who: PersonId, question: Question): Promise<Answer> {
    for (let attempts = 1; ; attempts += 1) {
      const answer = await this.ask(who, question);
      const clear = answer.status > 0 && answer.status < 500;
      const notYet = problem.safeParse(answer.body).data?.code === "not_open";
      if (clear && !notYet) return { ...answer, attempts };
      if (this.options.over()) throw new Error("it was over");
      this.options.journal.count("people asked again");
      await sleep(pauseMs);
    }
  }

  /** Sends one request; the status is 0 if there was no answer. */
  async ask(who: PersonId, { method, path, body, headers }: Question): Promise<Answer> {
    try {
      const response = await fetch(`${this.options.apiUrl}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${who}`, "content-type": "application/json", ...headers },
        signal: AbortSignal.timeout(patienceMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json().catch(() => undefined) };
    } catch {
      return { status: 0, body: undefined };
    }
  }
}
