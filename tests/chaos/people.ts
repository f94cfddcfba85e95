import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Adversary } from "./adversary.js";
import { type Client, problem, type Question } from "./client.js";
import type { Journal, Sent, Shown } from "./journal.js";
import { boardSecret, type Press, signatureHeader, signatureOf } from "./scenario/channels.js";
import { approvers, memberName } from "./scenario/people.js";
import type { Move, PeoplePlan } from "./scenario/plan.js";
import { effectsAt, isUndo, payBudget, toolInput, tools } from "./scenario/tools.js";
import type { Undoers } from "./undoers.js";

const approvalView = z.object({
  id: z.string(),
  requestId: z.string(),
  threadId: z.string(),
  toolName: z.string(),
  input: toolInput,
  digest: z.string(),
  status: z.string(),
  preview: z.object({ failed: z.string().nullable(), effects: z.array(z.unknown()) }).nullable(),
});
/** What the board is told about a button that is too late. */
const pressed = z.object({ status: z.string().nullable() });

export interface PeopleOptions {
  client: Client;
  undoers: Undoers;
  journal: Journal;
  adversary: Adversary;
  /** True once everything heals: people then decide without delay. */
  hurried: () => boolean;
  /** Called once a person was told that their held decision is taken back. */
  onTakenBack: (sent: Sent) => Promise<void>;
}

/** The journal's counter of calls whose world changed before people decided. */
export const worldsChanged = "worlds changed before a decision";

/** The journal's counter of decisions that their persons took back while they were held. */
export const decisionsTakenBack = "decisions taken back";

/** The journal's counter of decisions that take effect later. */
export const decisionsHeld = "decisions held";

/** The time, in milliseconds, in which a decision would show that takes effect although it was taken back. */
const afterHoldMs = 1500;

/** How long a person looks for a button at the board. */
const buttonMs = 6000;

/** The people: they look at waiting calls, and decide as the plan says. */
export class People {
  readonly #known = new Set<string>();

  constructor(private readonly options: PeopleOptions) {}

  /** A person has learned that this call waits. */
  notice(approvalId: string): void {
    if (this.#known.has(approvalId)) return;
    this.#known.add(approvalId);
    void this.#attend(approvalId).catch((error: unknown) => {
      this.#known.delete(approvalId);
      this.options.journal.count(`people gave up: ${String(error).slice(0, 60)}`);
    });
  }

  /** Looks through the waiting calls, to find those whose announcement was lost. */
  async lookThroughList(): Promise<void> {
    const path = "/approvals?status=pending&limit=200&sort=-created";
    const { status, body } = await this.options.client.ask("cleo", { method: "GET", path });
    if (status !== 200) return;
    for (const { id } of z.object({ items: z.array(z.object({ id: z.string() })) }).parse(body).items) {
      this.notice(id);
    }
  }

  /** Handles one call, from the first look at it to the last decision about it. */
  async #attend(approvalId: string): Promise<void> {
    const { adversary, hurried, undoers } = this.options;
    const shown = await this.#look(approvalId);
    if (shown === "an undo") return undoers.attend(approvalId);
    const { people } = shown.call;
    await adversary.forgeWakeUps(shown);
    if (people.tampered) shown.tampered = await adversary.tamper(shown);
    for (const attempt of people.attempts) await this.#mustBeRefused(shown, attempt);
    for (let waited = 0; waited < people.delayMs && !hurried(); waited += 100) await sleep(100);
    for (const kind of people.presses) await this.#pressMustBeRefused(shown, kind);
    if (people.changesWorld && shown.previewed) this.#changeWorld(shown);
    await Promise.all(people.moves.map((move) => this.#decide(shown, move)));
    // A held decision leaves the call pending for a while.
    const isHeld = people.moves.some(({ holdMs }) => holdMs > 0);
    if (people.pressedLate && !isHeld) await this.#pressLate(shown);
  }

  /** Reads what the person is shown, which must be what the model proposed. */
  async #look(approvalId: string): Promise<Shown | "an undo"> {
    const { journal } = this.options;
    const { status, body } = await this.options.client.insist("ben", {
      method: "GET",
      path: `/approvals/${approvalId}`,
    });
    if (status !== 200) throw new Error(`looking: ${status}`);
    const view = approvalView.parse(body);
    if (isUndo(view.toolName)) return "an undo";
    const call = journal.calls.get(view.input.ref);
    if (!call) throw new Error("looking: a call that nobody planned");
    const about = { approvalId, ref: call.ref };
    const asProposed = call.tool === view.toolName && call.input.amount === view.input.amount;
    if (!asProposed) {
      journal.violate({
        name: "shown-something-else",
        invariant: "I5",
        message: `${approvalId} is shown with ${JSON.stringify(view.input)}, and proposed was ${JSON.stringify(call.input)}`,
        ...about,
      });
    }
    const expected = journal.runs.get(call.run)?.previews ? effectsAt(call.ref, 1) : null;
    const isFailed = expected !== null && view.preview !== null && view.preview.failed !== null;
    if (!isFailed && !isDeepStrictEqual(view.preview?.effects ?? null, expected)) {
      journal.violate({
        name: "shown-other-effects",
        invariant: "I21",
        message: `${approvalId} is shown with ${JSON.stringify(view.preview)}, and its preview says ${JSON.stringify(expected)}`,
        ...about,
      });
    }
    const shown: Shown = {
      approvalId,
      requestId: view.requestId,
      call,
      digest: view.digest,
      previewed: expected !== null && !isFailed,
      tampered: false,
    };
    journal.shown.set(approvalId, shown);
    journal.count("calls shown to people");
    return shown;
  }

  /** Changes what the call would change, so that no approval from now on is for the effects that people saw. */
  #changeWorld({ approvalId, call }: Shown): void {
    const { journal } = this.options;
    if (journal.changedWorlds.has(approvalId)) return;
    journal.changeWorld(call.ref);
    journal.changedWorlds.set(approvalId, Date.now());
    journal.count(worldsChanged);
  }

  async #decide(shown: Shown, move: Move): Promise<void> {
    const { journal } = this.options;
    await sleep(move.afterMs);
    const digest = move.place === "board" ? await this.#button(shown, move) : undefined;
    const sent: Sent = {
      approvalId: shown.approvalId,
      move,
      place: digest === undefined ? "inbox" : "board",
      at: Date.now(),
      answeredAt: undefined,
      status: undefined,
      code: undefined,
      takenBack: false,
    };
    journal.sent.push(sent);
    const question: Question =
      digest === undefined
        ? {
            method: "POST",
            path: `/approvals/${shown.approvalId}/decision`,
            body: decisionBody(shown, move),
          }
        : pressOf(shown, { ...move, digest });
    const answer = await this.options.client.insist(move.who, question);
    sent.answeredAt = Date.now();
    sent.status = answer.status;
    sent.code = problem.safeParse(answer.body).data?.code;
    const words = answer.status === 200 ? "taken" : (sent.code ?? answer.status);
    journal.count(`decisions: ${move.type} ${words}${sent.place === "board" ? " at the board" : ""}`);
    if (answer.status !== 200) return;
    if (move.holdMs > 0) journal.count(decisionsHeld);
    // A request that got no answer may still arrive, and would make the decision again.
    if (move.takesBack && answer.attempts === 1) return this.#takeBack(shown, sent);
    const repeats = shown.call.input.amount % 4 === 0 && shown.call.tool !== "payout";
    if (!repeats) return;
    // The same request again, word for word, as a client sends it when its answer was lost.
    const again = await this.options.client.insist(move.who, question);
    journal.count("decisions repeated");
    // A held decision ends with its run, and so does the call.
    const isEnded = move.holdMs > 0 && problem.safeParse(again.body).data?.code === "withdrawn";
    if (again.status !== 200 && !isEnded) {
      journal.violate({
        name: "repeat-refused",
        invariant: "I3",
        message: `${move.who} repeated the decision about ${shown.approvalId} word for word (${sent.place}) and got ${again.status} ${JSON.stringify(again.body)}`,
        approvalId: shown.approvalId,
        ref: shown.call.ref,
      });
    }
  }

  /** Takes a held decision back, and makes it again later, at once. */
  async #takeBack(shown: Shown, sent: Sent): Promise<void> {
    const { client, journal } = this.options;
    const { approvalId } = shown;
    const { who, holdMs } = sent.move;
    await sleep(holdMs / 4);
    const { status, body } = await client.insist(who, {
      method: "POST",
      path: `/approvals/${approvalId}/take-back`,
    });
    const code = problem.safeParse(body).data?.code;
    // The first answer may have been lost. Then somebody else can have decided, or nobody in time.
    sent.takenBack = status === 200 || code === "forbidden" || code === "expired";
    journal.count(sent.takenBack ? decisionsTakenBack : `decisions not taken back: ${code ?? status}`);
    if (status !== 200) return;
    await this.options.onTakenBack(sent);
    await sleep(sent.at + holdMs + afterHoldMs - Date.now());
    await this.#decide(shown, { ...sent.move, afterMs: 0, holdMs: 0, takesBack: false });
  }

  /** The digest of the message that has this button. A person who finds none after some seconds decides in the inbox. */
  async #button({ approvalId }: Shown, { type }: Move): Promise<string | undefined> {
    const { journal, hurried } = this.options;
    for (let waited = 0; waited < buttonMs && !hurried(); waited += 100) {
      const found = journal.board.find(
        ({ card }) => card.approvalId === approvalId && card.decisions.some((decision) => decision === type),
      );
      if (found) return found.card.digest;
      await sleep(100);
    }
    journal.count("channels: no button at the board");
    return undefined;
  }

  async #pressMustBeRefused(shown: Shown, kind: PeoplePlan["presses"][number]): Promise<void> {
    const { journal } = this.options;
    const who = ({ stranger: "mallory", requester: "ada" } as const)[kind as "stranger"] ?? "eve";
    const digest = kind === "stale" ? otherDigest(shown.digest) : shown.digest;
    const question = pressOf(shown, { who, type: "approve", digest }, kind);
    const { status } = await this.options.client.insist(who, question);
    journal.count(`presses refused: ${kind}`);
    if (status === ({ unsigned: 401, unknown: 403 } as const)[kind as "unsigned"] || status === 409) return;
    journal.violate({
      name: `${kind}-press-accepted`,
      invariant: "I13",
      message: `A press at the board that had to be refused (${kind}) about ${shown.approvalId} was answered with ${status}`,
      approvalId: shown.approvalId,
      ref: shown.call.ref,
    });
  }

  /** A button that is still there after the decision changes nothing; a press of it shows the true state. */
  async #pressLate(shown: Shown): Promise<void> {
    const { journal } = this.options;
    const taken = journal.sentFor(shown.approvalId).filter(({ status }) => status === 200);
    if (taken.length === 0 || tools[shown.call.tool].gate === "two people") return;
    const who = approvers.find((person) => taken.every(({ move }) => move.who !== person)) ?? "dan";
    const answer = await this.options.client.insist(
      who,
      pressOf(shown, { who, type: "approve", digest: shown.digest }),
    );
    journal.count("presses refused: late");
    const state = pressed.safeParse(answer.body).data?.status ?? null;
    if (answer.status === 409 && state !== null && state !== "proposed" && state !== "pending") return;
    journal.violate({
      name: "late-press-accepted",
      invariant: "I12",
      message: `${who} pressed a button for ${shown.approvalId} after its decision and got ${answer.status} ${JSON.stringify(answer.body)}`,
      approvalId: shown.approvalId,
      ref: shown.call.ref,
    });
  }

  async #mustBeRefused(shown: Shown, attempt: "stale" | "stranger" | "requester" | "visitor"): Promise<void> {
    const { journal } = this.options;
    const who = ({ stale: "eve", stranger: "mallory", requester: "ada", visitor: "victor" } as const)[
      attempt
    ];
    const digest = attempt === "stale" ? otherDigest(shown.digest) : shown.digest;
    const type = shown.call.tool === "inspect" ? "respond" : "approve";
    const body = { ...decisionBody(shown, { who, type }), digest };
    const path = `/approvals/${shown.approvalId}/decision`;
    const { status } = await this.options.client.insist(who, { method: "POST", path, body });
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
}

/** The request that the board sends for a pressed button, or that an attacker sends in its name. */
function pressOf(
  { approvalId, call }: Shown,
  { who, type, digest }: Pick<Move, "who" | "type"> & { digest: string },
  kind?: PeoplePlan["presses"][number],
): Question {
  const body: Press = {
    member: kind === "unknown" ? "somebody" : memberName(who),
    approvalId,
    digest,
    decision: type === "deny" ? "deny" : "approve",
    ...(type === "deny" ? { reason: `${who} says no to ${call.ref}` } : {}),
  };
  const secret = kind === "unsigned" ? "guessed" : boardSecret;
  const headers = { [signatureHeader]: signatureOf(JSON.stringify(body), secret) };
  return { method: "POST", path: "/channels/board", body, headers };
}

function otherDigest(digest: string): string {
  return digest.replace(/^./, (c) => (c === "0" ? "1" : "0"));
}

function decisionBody(
  { digest, call }: Shown,
  {
    type,
    amount,
    who,
    gives,
    holdMs = 0,
  }: Pick<Move, "who" | "type" | "amount" | "gives"> & { holdMs?: number },
): Record<string, unknown> {
  return {
    type,
    digest,
    ...(holdMs > 0 ? { holdMs } : {}),
    ...(type === "edit" ? { input: { ...call.input, amount } } : {}),
    ...(gives
      ? {
          grant: {
            scope: "team",
            arguments: "any",
            expiresIn: "8h",
            budget: { amount: "amount", ...payBudget },
          },
        }
      : {}),
    ...(type === "respond" ? { response: `${who} did ${call.ref} by hand` } : {}),
    ...(type === "deny" ? { reason: `${who} says no to ${call.ref}` } : {}),
  };
}
