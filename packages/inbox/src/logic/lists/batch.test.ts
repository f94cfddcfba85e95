import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { batchesOf } from "./batch.js";

const refund = (id: string, amount: unknown, more: object = {}) =>
  someApproval({ id, toolName: "refund", input: { orderId: `A-${id}`, amount, currency: "EUR", ...more } });

describe("batchesOf", () => {
  it("makes one table for each tool, with a column for each argument that any call has", () => {
    const mail = someApproval({ id: "m", toolName: "email", input: { to: "ada@example.com" } });
    const [refunds, mails] = batchesOf([refund("1", 10), mail, refund("2", 20, { note: { by: "x" } })]);
    expect(refunds?.columns.map(({ keys, isNumeric }) => [keys.join("."), isNumeric])).toEqual([
      ["orderId", false],
      ["amount", true],
      ["currency", false],
      ["note.by", false],
    ]);
    const note = refunds?.columns.at(-1);
    expect(note && refunds?.cellOf("1", note)).toBeUndefined();
    expect(note && refunds?.cellOf("2", note)?.value).toBe("x");
    expect(mails?.approvals).toEqual([mail]);
  });

  it("keeps arguments apart that have the same path, and tools of two servers", () => {
    const input = { to: { x: "mallory@example.com" }, "to.x": "ada@example.com" };
    const [batch] = batchesOf([someApproval({ id: "1", input })]);
    expect(batch?.columns.map((column) => batch.cellOf("1", column)?.value)).toEqual([
      "mallory@example.com",
      "ada@example.com",
    ]);
    const servers = ["one", "two"].map((mcpServer) => someApproval({ id: mcpServer, mcpServer }));
    expect(batchesOf(servers)).toHaveLength(2);
  });

  it("finds the numbers that are unlike the others", () => {
    const [batch] = batchesOf([
      refund("1", 10),
      refund("2", 12),
      refund("3", 36),
      refund("4", 3),
      refund("5", 11),
    ]);
    const outliers = (of = batch) => {
      const amount = of?.columns.find(({ keys }) => keys[0] === "amount");
      return of?.approvals.map(({ id }) => id).filter((id) => amount && of.isOutlier(id, amount));
    };
    expect(outliers()).toEqual(["3", "4"]);
    const [two] = batchesOf([refund("1", 10), refund("2", 1000)]);
    expect(outliers(two)).toEqual([]);
  });

  it("has the values that the reader has changed, beside those that were proposed", () => {
    const input = { orderId: "A-1", amount: 30, currency: "EUR", note: "new" };
    const [batch] = batchesOf(
      [refund("1", 300), refund("2", 12), refund("3", 10), refund("4", 11)],
      new Map([["1", input]]),
    );
    const column = (name: string) => {
      const found = batch?.columns.find(({ keys }) => keys[0] === name);
      if (!batch || !found) throw new Error(`no column ${name}`);
      return found;
    };
    const amount = column("amount");
    expect([batch?.cellOf("1", amount)?.value, batch?.finalCellOf("1", amount)?.value]).toEqual([300, 30]);
    expect(["1", "2"].map((id) => batch?.isChanged(id, amount))).toEqual([true, false]);
    expect(batch?.isChanged("1", column("orderId"))).toBe(false);
    // A field that an edit adds has a column too.
    expect(batch?.isChanged("1", column("note"))).toBe(true);
    expect(batch?.cellOf("1", column("note"))).toBeUndefined();
    expect(batch?.isOutlier("1", amount)).toBe(false);
  });
});
