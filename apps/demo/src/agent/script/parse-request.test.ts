import { describe, expect, it } from "vitest";
import { parseRequest } from "./parse-request.js";

const action = (verb: string, orderIds: string[] = [], customerIds: string[] = []) => ({
  verb,
  orderIds,
  customerIds,
  supplierIds: [],
});

describe("parseRequest", () => {
  it.each([
    ["Please refund order A-1001", [[action("refund", ["A-1001"])]]],
    ["refund a1001, A 1002!", [[action("refund", ["A-1001", "A-1002"])]]],
    ["I need a refund for A-1001.", [[action("refund", ["A-1001"])]]],
    [
      "Refund A-1001 and A-1002 and tell the customer",
      [[action("refund", ["A-1001", "A-1002"]), action("email")]],
    ],
    ["Refund A-1001, then email the customer", [[action("refund", ["A-1001"])], [action("email")]]],
    ["DELETE CUSTOMER C-7", [[action("delete", [], ["C-7"])]]],
    [
      "Look up A-1004, refund A-1004 and delete customer C-4",
      [[action("look up", ["A-1004"]), action("refund", ["A-1004"]), action("delete", [], ["C-4"])]],
    ],
    ["Tell, by email, C-3", [[action("email", [], ["C-3"])]]],
    ["Refund 20 EUR of A-1001", [[{ ...action("refund", ["A-1001"]), amount: 20 }]]],
    ["Pay out 5,000.50 EUR to supplier S-3", [[{ ...action("pay"), supplierIds: ["S-3"], amount: 5000.5 }]]],
    ["Call customer C-3 about A-1005", [[action("call", ["A-1005"], ["C-3"])]]],
    ["Ask which carrier to use for A-1002", [[action("ask for a carrier", ["A-1002"])]]],
    ["Ask for the customer's new address for A-1003", [[action("ask for an address", ["A-1003"])]]],
    ["Please book a courier for A-1004", [[action("book a courier", ["A-1004"])]]],
    [
      "Book a courier for A-1004 and tell C-4",
      [[action("book a courier", ["A-1004"]), action("email", [], ["C-4"])]],
    ],
    ["The book of A-1004 is late", []],
    ["Ask which carrier, then tell C-3", [[action("ask for a carrier")], [action("email", [], ["C-3"])]]],
    ["Ask me something. The carrier of A-1002 is late", []],
    ["Hello", []],
    ["", []],
  ])("parses %j", (text, stages) => {
    expect(parseRequest(text)).toEqual(stages);
  });
});
