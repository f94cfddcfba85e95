import type { Channel, Principal } from "countersign";
import type { ChannelUndo } from "countersign/types";
import { describe, expect, it } from "vitest";
import { bookingRule, finance, openBookingDesk } from "../support/booking-desk.js";
import { freshPostgres } from "../support/databases.js";
import { principals } from "../support/harness.js";
import { recordingChannel } from "../support/recording-channel.js";

interface Press {
  who: string;
  approvalId: string;
  digest: string;
  reason?: string;
}

/** A channel that trusts the name in each press. */
const chat: Channel = {
  ...recordingChannel().channel,
  name: "chat",
  async receive(request, gate) {
    const { who, ...press } = (await request.json()) as Press;
    return Response.json(await gate.undo({ principal: principals[who] as Principal, ...press }));
  },
};

const here = { decideIn: ["inbox", "chat"] };
const rules = [
  { ...bookingRule, ...here },
  { tools: "book.undo", verdict: "ask", ...here },
];

async function openWorld(
  database: Awaited<ReturnType<typeof freshPostgres>>,
  its: readonly object[] = rules,
) {
  const desk = await openBookingDesk(database, { rules: its, countersign: { channels: [chat] } });
  const { call } = await desk.book("A-1");
  return Object.assign(desk, {
    call,
    async press(changes: Partial<Press> = {}): Promise<ChannelUndo> {
      const press: Press = { who: "finance", approvalId: call.id, digest: call.digest, ...changes };
      const request = new Request("http://desk.test", { method: "POST", body: JSON.stringify(press) });
      return (await (await desk.countersign.receive("chat", request))?.json()) as ChannelUndo;
    },
  });
}

describe("the undo of a call in a channel", () => {
  it("runs with the person's approval and reason, and the log names the channel", async () => {
    await using database = await freshPostgres();
    await using desk = await openWorld(database);
    const pressed = await desk.press({ reason: "  wrong order " });
    expect(pressed).toMatchObject({
      ok: true,
      card: {
        approvalId: desk.call.id,
        outcome: { text: expect.stringContaining("finance asked to undo it") },
      },
      undo: { status: "approved", undoes: { approvalId: desk.call.id } },
    });
    const { undoId } = await desk.row(desk.call.id);
    const { decision } = await desk.until(undoId ?? "", "executed");
    expect(decision?.reason).toBe("wrong order");
    const trail = await desk.store.auditTrail("acme", undoId ?? "");
    expect(trail.find(({ type }) => type === "approval.approved")).toMatchObject({
      ...{ actorId: finance.id, data: { via: "chat" } },
    });
    expect(await desk.press()).toMatchObject({
      ...{ ok: false, code: "not_undoable", message: "This call has been undone already." },
    });
  });

  it.each<[string, Partial<Press>, object]>([
    ["of another tenant", { who: "stranger" }, { code: "not_found", card: null }],
    [
      "who may not decide the call",
      { who: "lead" },
      { code: "forbidden", message: "You may read this request but not undo it." },
    ],
    ["who saw another call", { digest: "0".repeat(64) }, { code: "digest_mismatch" }],
    ["of a call that does not exist", { approvalId: "apr_other" }, { code: "not_found", card: null }],
  ])("is refused for a person %s", async (_case, press, refusal) => {
    await using database = await freshPostgres();
    await using desk = await openWorld(database);
    expect(await desk.press(press)).toMatchObject({ ok: false, ...refusal });
    expect(await desk.row(desk.call.id)).toMatchObject({ undoId: null });
  });

  it("is refused if the rules let people decide elsewhere only", async () => {
    await using database = await freshPostgres();
    await using desk = await openWorld(database, [
      bookingRule,
      { tools: "book.undo", verdict: "ask", ...here },
    ]);
    expect(await desk.press()).toMatchObject({ ok: false, code: "wrong_place" });
    expect(await desk.row(desk.call.id)).toMatchObject({ undoId: null });
  });

  it("waits if the rule for the undo does not name the channel", async () => {
    await using database = await freshPostgres();
    await using desk = await openWorld(database, [
      { ...bookingRule, ...here },
      { tools: "book.undo", verdict: "ask" },
    ]);
    expect(await desk.press()).toMatchObject({ ok: true, undo: { open: true, whoDecides: "finance" } });
    expect(desk.cancelled).toEqual([]);
  });

  it("is denied if the policy denies it", async () => {
    await using database = await freshPostgres();
    await using desk = await openWorld(database, [
      { ...bookingRule, ...here },
      { tools: "book.undo", verdict: "deny" },
    ]);
    expect(await desk.press()).toMatchObject({ ok: true, undo: { status: "denied", open: false } });
    expect(desk.cancelled).toEqual([]);
  });
});
