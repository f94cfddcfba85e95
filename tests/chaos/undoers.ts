import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type Client, problem } from "./client.js";
import type { Journal, Start, UndoVote } from "./journal.js";
import { approvers, type PersonId } from "./scenario/people.js";
import type { UndoPlan } from "./scenario/plan.js";

const view = z.object({
  id: z.string(),
  digest: z.string(),
  status: z.string(),
  undo: z.object({ undoId: z.string().nullable() }).nullable(),
  undoes: z.string().nullable(),
});
type View = z.infer<typeof view>;

export interface UndoersOptions {
  client: Client;
  journal: Journal;
  /** True once everything heals: people then ask without delay. */
  hurried: () => boolean;
  over: () => boolean;
}

const pauseMs = 400;
const notEnded = ["proposed", "pending", "approved", "executing"];

/** The people who take calls back: they ask for undos as the plan says, and vote for those that wait. */
export class Undoers {
  readonly #known = new Set<string>();
  /** The number of calls about which they are not done yet. */
  busy = 0;

  constructor(private readonly options: UndoersOptions) {}

  /** A call has started. People take it back if the plan says so. */
  notice({ approvalId, input }: Start): void {
    const { journal } = this.options;
    const plan = journal.calls.get(input.ref)?.undo;
    if (!plan || approvalId === null || this.#known.has(approvalId)) return;
    this.#known.add(approvalId);
    this.busy += 1;
    void this.#takeBack(approvalId, plan)
      .catch((error: unknown) => journal.count(`people gave up: ${String(error).slice(0, 60)}`))
      .finally(() => {
        this.busy -= 1;
      });
  }

  /** Votes for or against an undo that waits for people. */
  async attend(undoId: string): Promise<void> {
    const { journal } = this.options;
    const { digest, undoes } = await this.#look("cleo", undoId);
    const start = journal.starts.find(({ approvalId }) => approvalId === undoes);
    const plan = start && journal.calls.get(start.input.ref)?.undo;
    if (!plan || undoes === null) throw new Error("an undo that nobody planned");
    const who = approvers.find((person) => plan.asks.every((ask) => ask.who !== person)) ?? "dan";
    const type = plan.vote;
    const vote = this.#note({ call: undoes, who, type });
    const body = { type, digest, ...(type === "deny" ? { reason: "No" } : {}) };
    await this.#send(vote, `/approvals/${undoId}/decision`, body);
  }

  async #takeBack(callId: string, plan: UndoPlan): Promise<void> {
    const [first] = plan.asks;
    if (!first) return;
    const call = await this.#ended(first.who, callId);
    if (call.status !== "executed") return;
    await Promise.all(plan.asks.map((ask) => this.#ask(call, ask)));
    const { undo } = await this.#look(first.who, callId);
    if (!undo?.undoId) return;
    const { status } = await this.#ended(first.who, undo.undoId);
    this.options.journal.count(`undos: ${status}`);
    // It is free again.
    if (status === "failed" || status === "denied") await this.#ask(call, { ...first, afterMs: 0 });
  }

  async #ask({ id, digest }: View, { who, afterMs }: UndoPlan["asks"][number]): Promise<void> {
    for (let waited = 0; waited < afterMs && !this.options.hurried(); waited += 100) await sleep(100);
    await this.#send(this.#note({ call: id, who, type: "ask" }), `/approvals/${id}/undo`, { digest });
  }

  /** Notes it before it is sent: an answer may get lost. */
  #note(vote: Pick<UndoVote, "call" | "who" | "type">): UndoVote {
    const noted: UndoVote = { ...vote, status: undefined };
    this.options.journal.undoVotes.push(noted);
    return noted;
  }

  async #send(vote: UndoVote, path: string, body: object): Promise<void> {
    const { journal, client } = this.options;
    const { status, body: answer } = await client.insist(vote.who, { method: "POST", path, body });
    vote.status = status;
    const code = problem.safeParse(answer).data?.code;
    journal.count(`undos: ${vote.type} ${status === 200 ? "taken" : (code ?? status)}`);
    if (status === 200 || status === 409 || (vote.type !== "ask" && status === 410)) return;
    journal.violate({
      name: "undo-refused",
      invariant: "I23",
      message: `${vote.who} may undo ${vote.call} (${vote.type}) and got ${status} ${JSON.stringify(answer)}`,
      approvalId: vote.call,
    });
  }

  /** Waits until a call has ended. */
  async #ended(who: PersonId, id: string): Promise<View> {
    for (; ; await sleep(pauseMs)) {
      const found = await this.#look(who, id);
      if (!notEnded.includes(found.status)) return found;
      if (this.options.over()) throw new Error("it was over");
    }
  }

  async #look(who: PersonId, id: string): Promise<View> {
    const { status, body } = await this.options.client.insist(who, {
      method: "GET",
      path: `/approvals/${id}`,
    });
    if (status !== 200) throw new Error(`looking: ${status}`);
    return view.parse(body);
  }
}
