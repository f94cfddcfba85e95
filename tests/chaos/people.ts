import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Adversary } from "./adversary.js";
import type { Journal, Sent, Shown } from "./journal.js";
import type { PersonId } from "./scenario/people.js";
import type { Move } from "./scenario/plan.js";
import { toolInput } from "./scenario/tools.js";

const approvalView = z.object({
  id: z.string(),
  requestId: z.string(),
  threadId: z.string(),
  toolName: z.string(),
  input: toolInput,
  digest: z.string(),
  status: z.string(),
});
const problem = z.object({ code: z.string() });

export interface PeopleOptions {
  apiUrl: string;
  journal: Journal;
  adversary: Adversary;
  /** True once everything heals: nobody waits any longer before they decide. */
  hurried: () => boolean;
  /** True when everything is over. */
  over: () => boolean;
}

interface Answer {
  status: number;
  body: unknown;
}

/** Milliseconds between two attempts of somebody who got no clear answer. */
const pauseMs = 600;
const patienceMs = 10_000;

/** The people: they look at what waits, and decide as the plan says. */
export class People {
  readonly #known = new Set<string>();

  constructor(private readonly options: PeopleOptions) {}

  /** Somebody has heard that this call waits. */
  notice(approvalId: string): void {
    if (this.#known.has(approvalId)) return;
    this.#known.add(approvalId);
    void this.#attend(approvalId).catch((error: unknown) => {
      this.#known.delete(approvalId);
      this.options.journal.count(`people gave up: ${String(error).slice(0, 60)}`);
    });
  }

  /** Looks through what waits, for calls of which the news got lost. */
  async lookThroughList(): Promise<void> {
    const { status, body } = await this.#ask(
      "cleo",
      "GET",
      "/approvals?status=pending&limit=200&sort=-created",
    );
    if (status !== 200) return;
    for (const { id } of z.object({ items: z.array(z.object({ id: z.string() })) }).parse(body).items) {
      this.notice(id);
    }
  }

  /** One call, from the look at it to the last decision about it. */
  async #attend(approvalId: string): Promise<void> {
    const { adversary, hurried } = this.options;
    const shown = await this.#look(approvalId);
    const { people } = shown.call;
    await adversary.forgeWakeUps(shown);
    if (people.tampered) shown.tampered = await adversary.tamper(shown);
    for (const attempt of people.attempts) await this.#mustBeRefused(shown, attempt);
    for (let waited = 0; waited < people.delayMs && !hurried(); waited += 100) await sleep(100);
    await Promise.all(people.moves.map((move) => this.#decide(shown, move)));
  }

  /** What the person is shown; it has to be what the model proposed. */
  async #look(approvalId: string): Promise<Shown> {
    const { journal } = this.options;
    const { status, body } = await this.#insist("ben", "GET", `/approvals/${approvalId}`);
    if (status !== 200) throw new Error(`looking: ${status}`);
    const view = approvalView.parse(body);
    const call = journal.calls.get(view.input.ref);
    if (!call) throw new Error("looking: a call that nobody planned");
    const asProposed = call.tool === view.toolName && call.input.amount === view.input.amount;
    if (!asProposed) {
      journal.violate({
        name: "shown-something-else",
        invariant: "I5",
        message: `${approvalId} is shown with ${JSON.stringify(view.input)}, and proposed was ${JSON.stringify(call.input)}`,
        approvalId,
        ref: call.ref,
      });
    }
    const shown: Shown = {
      approvalId,
      requestId: view.requestId,
      call,
      digest: view.digest,
      tampered: false,
    };
    journal.shown.set(approvalId, shown);
    journal.count("calls shown to people");
    return shown;
  }

  async #decide(shown: Shown, move: Move): Promise<void> {
    const { journal } = this.options;
    await sleep(move.afterMs);
    const sent: Sent = {
      approvalId: shown.approvalId,
      move,
      at: Date.now(),
      status: undefined,
      code: undefined,
    };
    journal.sent.push(sent);
    const body = decisionBody(shown, move);
    const headers = { "idempotency-key": `${shown.call.ref}-${move.who}-${move.type}` };
    const path = `/approvals/${shown.approvalId}/decision`;
    const answer = await this.#insist(move.who, "POST", path, body, headers);
    sent.status = answer.status;
    sent.code = problem.safeParse(answer.body).data?.code;
    journal.count(
      `decisions: ${move.type} ${answer.status === 200 ? "taken" : (sent.code ?? answer.status)}`,
    );
    const repeats = shown.call.input.amount % 4 === 0 && shown.call.tool !== "payout";
    if (answer.status !== 200 || !repeats) return;
    // Once more, word for word: a client whose answer got lost asks again.
    const again = await this.#insist(move.who, "POST", path, body, headers);
    journal.count("decisions repeated");
    if (again.status !== 200) {
      journal.violate({
        name: "repeat-refused",
        invariant: "I3",
        message: `${move.who} repeated the decision about ${shown.approvalId} word for word and got ${again.status} ${JSON.stringify(again.body)}`,
        approvalId: shown.approvalId,
        ref: shown.call.ref,
      });
    }
  }

  async #mustBeRefused(shown: Shown, attempt: "stale" | "stranger" | "requester" | "visitor"): Promise<void> {
    const { journal } = this.options;
    const who = ({ stale: "eve", stranger: "mallory", requester: "ada", visitor: "victor" } as const)[
      attempt
    ];
    const digest =
      attempt === "stale" ? shown.digest.replace(/^./, (c) => (c === "0" ? "1" : "0")) : shown.digest;
    const type = shown.call.tool === "inspect" ? "respond" : "approve";
    const body = { ...decisionBody(shown, { who, type, afterMs: 0 }), digest };
    const { status } = await this.#insist(who, "POST", `/approvals/${shown.approvalId}/decision`, body);
    journal.count(`attempts refused: ${attempt}`);
    const allowed = attempt === "stranger" ? [404] : attempt === "stale" ? [409, 410] : [403, 404, 409, 410];
    if (allowed.includes(status)) return;
    journal.violate({
      name: `${attempt}-accepted`,
      invariant: attempt === "stale" ? "I5" : "I7",
      message: `A decision that had to be refused (${attempt}) about ${shown.approvalId} was answered with ${status}`,
      approvalId: shown.approvalId,
      ref: shown.call.ref,
    });
  }

  /** Asks until there is a clear answer: neither silence nor a server's failure, nor "not open yet". */
  async #insist(
    who: PersonId,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    for (;;) {
      const answer = await this.#ask(who, method, path, body, headers);
      const clear = answer.status > 0 && answer.status < 500;
      const notYet = problem.safeParse(answer.body).data?.code === "not_open";
      if (clear && !notYet) return answer;
      if (this.options.over()) throw new Error("it was over");
      this.options.journal.count("people asked again");
      await sleep(pauseMs);
    }
  }

  /** One request; 0 where there was no answer. */
  async #ask(
    who: PersonId,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
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

function decisionBody({ digest, call }: Shown, { type, amount, who }: Move): Record<string, unknown> {
  return {
    type,
    digest,
    ...(type === "edit" ? { input: { ...call.input, amount } } : {}),
    ...(type === "respond" ? { response: `${who} did ${call.ref} by hand` } : {}),
    ...(type === "deny" ? { reason: `${who} says no to ${call.ref}` } : {}),
  };
}
