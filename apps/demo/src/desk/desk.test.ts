import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Desk } from "./desk.js";
import { openDesk } from "./open-desk.js";
import { seedCustomers, seedOrders } from "./seed-data.js";

// One database for the file, emptied before each test, because starting one is slow.
let pglite: PGlite;
let desk: Desk;
beforeAll(async () => {
  pglite = await PGlite.create();
});
afterAll(() => pglite.close());
beforeEach(async () => {
  await pglite.exec("drop schema if exists demo cascade; drop schema if exists drizzle cascade");
  desk = await openDesk({ pglite });
});

describe("the desk's data", () => {
  it("has customers C-1 to C-10, and orders A-1001 to A-1020 with small and large totals", () => {
    expect(seedCustomers.map(({ id }) => id)).toEqual(
      Array.from({ length: 10 }, (_, index) => `C-${index + 1}`),
    );
    expect(seedOrders.map(({ id }) => id)).toEqual(
      Array.from({ length: 20 }, (_, index) => `A-${1001 + index}`),
    );
    const totals = seedOrders.map(({ totalCents }) => totalCents / 100);
    expect(totals.slice(0, 5).every((total) => total >= 20 && total <= 90)).toBe(true);
    expect(totals.slice(5).every((total) => total >= 95 && total <= 2400)).toBe(true);
  });

  it("is seeded once, and keeps later changes", async () => {
    await desk.refund({ orderId: "A-1001", customerId: "C-1", amount: 49.9 });
    await desk.deleteCustomer("C-7");
    const again = await openDesk({ pglite });
    expect((await again.findOrder("A-1001")).status).toBe("refunded");
    await expect(again.deleteCustomer("C-7")).rejects.toThrow("There is no customer C-7");
    expect(await again.effects()).toHaveLength(2);
  });
});

describe("the desk", () => {
  it("says what a refund would change, and changes nothing", async () => {
    const first = await desk.previewRefund({ orderId: "A-1003", customerId: "C-2", amount: 20 });
    expect(first.effects).toEqual([
      {
        target: "order A-1003",
        before: expect.stringMatching(/^paid [0-9.]+ EUR$/),
        after: "refunded 20.00 EUR",
      },
    ]);
    expect(await desk.effects()).toEqual([]);
    const sibling = seedOrders.find(({ id, customerId }) => customerId === "C-2" && id !== "A-1003");
    await desk.refund({ orderId: sibling?.id ?? "", customerId: "C-2", amount: 5 });
    const second = await desk.previewRefund({ orderId: "a-1003.", customerId: "C-2", amount: 20 });
    expect(second.effects).toEqual([
      ...first.effects,
      { target: "second refund for this customer this month" },
    ]);
    expect(second.state).toEqual(first.state);
    await desk.refund({ orderId: "A-1003", customerId: "C-2", amount: 20 });
    const again = await desk.previewRefund({ orderId: "A-1003", customerId: "C-2", amount: 20 });
    expect(again.state).not.toEqual(first.state);
    expect(await desk.previewRefund({ orderId: "A-9999", customerId: "C-2", amount: 1 })).toMatchObject({
      effects: [{ target: "there is no order A-9999" }],
    });
  });

  it.each(["A-1003", "a-1003", " A-1003. "])("finds an order by %j without an effect", async (orderId) => {
    expect(await desk.findOrder(orderId)).toMatchObject({
      id: "A-1003",
      customerId: "C-2",
      currency: "EUR",
    });
    expect(await desk.effects()).toEqual([]);
  });

  it("books a courier once per booking id, and only for a known order", async () => {
    const booking = { bookingId: "b1", orderId: "A-1004", window: "8:00 to 12:00" };
    await desk.bookCourier(booking);
    await desk.bookCourier(booking);
    await desk.bookCourier({ ...booking, bookingId: "b2" });
    expect((await desk.effects()).map(({ input }) => input)).toEqual([
      booking,
      { ...booking, bookingId: "b2" },
    ]);
    await expect(desk.bookCourier({ ...booking, orderId: "A-1" })).rejects.toThrow("There is no order A-1");
  });

  it("records each effect with its arguments, oldest first", async () => {
    await desk.refund({ orderId: "A-1001", customerId: "C-1", amount: 49.9, reason: "broken 💔" });
    await desk.sendEmail({ to: "customer-1@example.com", subject: "Refund", body: "Done" }, "apr_1");
    await desk.deleteCustomer("c-7");
    expect(await desk.effects()).toEqual([
      {
        id: 1,
        kind: "refund",
        toolName: "issue_refund",
        input: { orderId: "A-1001", customerId: "C-1", amount: 49.9, reason: "broken 💔" },
        at: expect.any(Date),
        approvalId: null,
      },
      {
        id: 2,
        kind: "email",
        toolName: "send_email",
        input: { to: "customer-1@example.com", subject: "Refund", body: "Done" },
        at: expect.any(Date),
        approvalId: "apr_1",
      },
      {
        id: 3,
        kind: "deletion",
        toolName: "delete_customer",
        input: { customerId: "c-7" },
        at: expect.any(Date),
        approvalId: null,
      },
    ]);
  });

  it("records two effects for a tool that ran twice", async () => {
    await desk.refund({ orderId: "A-1001", customerId: "C-1", amount: 49.9 });
    await desk.refund({ orderId: "A-1001", customerId: "C-1", amount: 49.9 });
    expect(await desk.effects()).toHaveLength(2);
  });

  it("refuses unknown orders, customers, suppliers and accounts without an effect", async () => {
    await expect(desk.findOrder("A-9999")).rejects.toThrow(
      "There is no order A-9999. Orders are A-1001 to A-1020.",
    );
    const ofNobody = { orderId: "A-9999", customerId: "C-1", amount: 1 };
    await expect(desk.refund(ofNobody)).rejects.toThrow("There is no order A-9999");
    await expect(desk.refund({ ...ofNobody, orderId: "A-1003" })).rejects.toThrow(
      "Order A-1003 is not of customer C-1. Nothing was refunded.",
    );
    await expect(
      desk.paySupplier({ supplierId: "S-9", amount: 1, iban: "CH02 0070 0110 0006 0249 7" }),
    ).rejects.toThrow("There is no supplier S-9");
    await expect(
      desk.paySupplier({ supplierId: "S-1", amount: 1, iban: "CH02 0070 0110 0006 0249 7" }),
    ).rejects.toThrow("another account");
    await expect(desk.bookCarrier({ orderId: "A-9999", carrier: "DHL" })).rejects.toThrow("no order A-9999");
    const address = { orderId: "A-9999", street: "", postcode: "", city: "", country: "" };
    await expect(desk.changeAddress(address)).rejects.toThrow("no order A-9999");
    await expect(desk.deleteCustomer("C-99")).rejects.toThrow("There is no customer C-99");
    expect(await desk.effects()).toEqual([]);
  });
});
