// Forgeries about the calls of one run, each about a call of its own: the run then continues once for all of them.
import type { SigningKey } from "countersign";
import type { DeskTool, SignedDesk } from "./signed-desk.js";

/** Something that people or the attacker do about a call, while the engine is stopped. */
export type Step = (desk: SignedDesk, id: string, other: string) => unknown;

export interface Forgery {
  what: string;
  tool: DeskTool;
  /** Another call of the same run, whose signatures the steps may copy, and what happens to it before. */
  beside?: { tool: DeskTool; steps: readonly Step[] };
  steps: readonly Step[];
}

export interface Ended {
  /** The call that a forgery concerned. Throws what its steps have thrown. */
  idOf(what: string): string;
  /** What the model was told about that call. */
  toldOf(what: string): string;
}

const prefix = "A-";

/** Which forgery of {@link forgeAll} these arguments belong to. */
export const placeOf = (input: object): number =>
  Number(String((input as { to?: unknown }).to).slice(prefix.length));

/**
 * Has the model propose a call for each forgery, takes their steps while the engine is stopped, and lets the run continue
 * until it ends.
 */
export async function forgeAll(
  desk: SignedDesk,
  forgeries: readonly Forgery[],
  { later, meanwhile }: { later?: SigningKey; meanwhile?: () => unknown } = {},
): Promise<Ended> {
  const others = forgeries.flatMap(({ beside }) => beside ?? []);
  const wanted = [...forgeries, ...others].map(({ tool }, at) => ({
    ...{ name: tool, input: { to: `${prefix}${at}`, amount: 80 } },
  }));
  const { runId } = await desk.sayAll(wanted);
  const calls = await desk.ofRun(runId, wanted.length);
  const idAt = (at: number) => calls[at]?.id ?? "";
  await desk.harness.engine.stop();
  const failed = new Map<string, unknown>();
  for (const [at, { what, steps, beside }] of forgeries.entries()) {
    const other = beside ? idAt(forgeries.length + others.indexOf(beside)) : "";
    try {
      for (const step of beside?.steps ?? []) await step(desk, other, "");
      for (const step of steps) await step(desk, idAt(at), other);
    } catch (error) {
      failed.set(what, error);
    }
  }
  await meanwhile?.();
  await desk.goOn(runId, later);
  const results = desk.results();
  const indexOf = (what: string) => forgeries.findIndex((forgery) => forgery.what === what);
  return {
    idOf(what) {
      if (failed.has(what)) throw failed.get(what);
      return idAt(indexOf(what));
    },
    toldOf: (what) => results.get(calls[indexOf(what)]?.toolCallId ?? "") ?? "nothing",
  };
}

/** Changes the row and makes its digest match, as anybody can who reads the nonce. */
export const rewritten =
  (set: string): Step =>
  async (desk, id) => {
    await changed(set)(desk, id, "");
    await desk.redigest(id);
  };

export const changed =
  (set: string): Step =>
  (desk, id) =>
    desk.sql.unsafe(`update countersign.approvals set ${set} where id = $1`, [id]);

/** A decision that the API accepts. */
export const decidedBy =
  (token: string, type: string, more: object = {}): Step =>
  async (desk, id) => {
    const { status, body } = await desk.decide(id, type, { token, ...more });
    if (status !== 200) throw new Error(`${token} could not decide: ${JSON.stringify(body)}`);
  };

export const approvedBy = (...tokens: string[]): Step => {
  const decisions = tokens.map((token) => decidedBy(token, "approve"));
  return async (desk, id) => {
    for (const decide of decisions) await decide(desk, id, "");
  };
};

/** Finance assigns the call to somebody, or to nobody. */
export const assigned =
  (to: string | null): Step =>
  async (desk, id) => {
    const { status, body } = await desk.assign(id, to);
    if (status !== 200) throw new Error(`could not assign it: ${JSON.stringify(body)}`);
  };
