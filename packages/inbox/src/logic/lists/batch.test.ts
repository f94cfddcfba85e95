import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { batchesOf, totalOf, totalText } from "./batch.js";

const refund = (id: string, amount: unknown, more: object = {}) =>
  someApproval({ id, toolName: "refund", input: { orderId: `A-${id}`, amount, currency: "EUR", ...more } });

const idsOf = (...ids: string[]) => new Set(ids);

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
    expect(note && refunds?.cellOf("2", note)).toEqual({ value: "x" });
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
});

describe("the total of a batch", () => {
  it("adds exactly what is in it, in its currency", () => {
    const [batch] = batchesOf([refund("1", 0.1), refund("2", 0.2), refund("3", 2400)]);
    if (!batch) throw new Error("unreachable");
    expect(totalText(batch, idsOf("1", "2"))).toBe("0.30 EUR");
    expect(totalText(batch, idsOf("1", "2", "3"))).toBe("2,400.30 EUR");
    expect(totalText(batch, idsOf())).toBe("0");
    const [nested] = batchesOf([
      someApproval({ id: "n", input: { money: { amount: 5, currency: "EUR" }, currency: "USD" } }),
    ]);
    expect(nested && totalText(nested, idsOf("n"))).toBe("5 EUR");
  });

  it("adds no different or hidden currencies, and no numbers that are no amounts", () => {
    const other = (currency: unknown) => {
      const [mixed] = batchesOf([refund("1", 10), refund("2", 20, { currency })]);
      return [["1", "2"], ["2"]].map((ids) => mixed && totalText(mixed, idsOf(...ids)));
    };
    expect(other("USD")).toEqual([undefined, "20 USD"]);
    expect(other("[hidden]")).toEqual([undefined, undefined]);
    expect(other(undefined)).toEqual([undefined, "20"]);
    const [orders] = batchesOf([someApproval({ id: "o", input: { orderNumber: 7 } })]);
    const [column] = orders?.columns ?? [];
    expect(orders && column && totalOf(orders, column, idsOf("o"))).toBeUndefined();
    expect(orders && totalText(orders, idsOf("o"))).toBeUndefined();
  });
});
