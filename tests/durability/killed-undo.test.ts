import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { demoInstallation } from "../support/demo/demo-process.js";
import { eventually } from "../support/harness.js";

/** Where the process dies while it undoes a call, and what must be true once it was restarted. */
const crashPoints = [
  { point: "after-decision", effects: 1, status: "executed", isStartLost: true },
  { point: "before-claim", effects: 1, status: "executed" },
  { point: "after-claim", effects: 0, status: "interrupted" },
  { point: "after-handler", effects: 1, status: "interrupted" },
  { point: "after-record", effects: 1, status: "executed" },
];

describe("the demo", () => {
  it.each(crashPoints)("killed at $point ends the undo as $status (effects: $effects)", async (expected) => {
    await using database = await freshPostgres(1);
    await using demo = await demoInstallation({ DATABASE_URL: database.url });
    const begunAt = performance.now();
    await demo.start();
    const startSeconds = (performance.now() - begunAt) / 1000;
    const { threadId } = await demo.say("Ask which carrier to use for A-1002");
    const { id, digest } = await demo.pending();
    const response = { action: "accept", content: { choice: "UPS" } };
    await demo.call("finance", `/approvals/${id}/decision`, { type: "respond", digest, response });
    await demo.threadDone(threadId);
    const { body } = await demo.call("finance", `/approvals?threadId=${threadId}&status=executed`);
    const [booking] = body.items ?? [];
    await demo.kill();

    await demo.start(expected.point);
    // The process may die during this request, so the connection may break.
    const undo = { digest: booking?.digest };
    await demo.call("finance", `/approvals/${booking?.id}/undo`, undo).catch(() => undefined);
    await demo.crashed();
    if (expected.isStartLost) {
      // Nobody has sent the event that starts the undo. The relay does once it is late, when the next minute begins.
      await database.admin`
        update countersign.approvals set created_at = created_at - interval '1 minute'
        where tool_name = 'book_carrier.undo'`;
    }
    const second = Math.max(0, 57 - 1.5 * startSeconds);
    await demo.start(undefined, 1, expected.isStartLost ? { second } : {});
    const ended = await eventually(
      async () => {
        const rows = await database.admin`
          select status, (select undone_at is not null from countersign.approvals where id = ${booking?.id ?? ""}) as undone
          from countersign.approvals where tool_name = 'book_carrier.undo'`;
        return rows.length === 1 && ["executed", "interrupted"].includes(rows[0]?.status)
          ? rows[0]
          : undefined;
      },
      "the undo has ended",
      150_000,
    );
    expect(ended).toEqual({ status: expected.status, undone: expected.status === "executed" });
    const cancelled = (await demo.effects()).filter(({ toolName }) => toolName === "book_carrier.undo");
    expect(cancelled).toHaveLength(expected.effects);
    // Asking again undoes nothing twice: it is done, or in doubt.
    const again = await demo.call("finance", `/approvals/${booking?.id}/undo`, undo);
    expect(again).toMatchObject({ status: 409, body: { code: "not_undoable" } });
  });
});
