import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { readingTime } from "../review/seeing-time.js";
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

  it("says how many times the median a number is that is far above it", () => {
    const [batch] = batchesOf([
      refund("1", 10),
      refund("2", 12),
      refund("3", 88),
      refund("4", 1),
      refund("5", 11),
      refund("6", 32),
    ]);
    const timesIn = (of = batch) => {
      const amount = of?.columns.find(({ keys }) => keys[0] === "amount");
      return of?.approvals.flatMap(({ id }) => (amount && of.timesMedian(id, amount)) ?? []);
    };
    expect(timesIn()).toEqual([88 / 11.5]);
    const [two] = batchesOf([refund("1", 10), refund("2", 1000)]);
    expect(timesIn(two)).toEqual([]);
    const [below] = batchesOf(["1", "2", "3"].map((id) => refund(id, -Number(id))));
    expect(timesIn(below)).toEqual([]);
  });

  it("marks a row with the arguments of another one, unless a part of them is hidden", () => {
    const same = (id: string, input: object) => someApproval({ id, toolName: "refund", input });
    const rows = [
      same("1", { amount: 10, orderId: "A-1" }),
      same("2", { amount: 10, orderId: "A-2" }),
      same("3", { orderId: "A-1", amount: 10 }),
      same("4", { amount: 10, orderId: "A-1" }),
      same("5", { amount: 10, orderId: "to [hidden]" }),
      same("6", { amount: 10, orderId: "to [hidden]" }),
    ];
    const [batch] = batchesOf(rows);
    expect(rows.map(({ id }) => batch?.sameAs(id))).toEqual([
      undefined,
      undefined,
      1,
      1,
      undefined,
      undefined,
    ]);
  });

  it("has ten calls alike read in at most five seconds, and a row without anything new in the least time", () => {
    const alike = Array.from({ length: 10 }, (_, at) =>
      refund(`${at}`, 10 + at, { reason: "The parcel never arrived, and the customer wants the money back" }),
    );
    const [batch] = batchesOf(alike);
    const times = alike.map(({ id }) => readingTime(batch?.newIn(id) ?? ""));
    expect(times.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(5000);
    const [first] = alike.slice(0, 1).map((each) => batchesOf([each])[0]?.newIn(each.id));
    expect([batch?.newIn("0"), batch?.newIn("1")]).toEqual([first, '["A-1",11]']);
    const [same] = batchesOf([refund("1", 10), { ...refund("1", 10), id: "again" }]);
    expect(same?.newIn("again")).toBe("[]");
  });
});
