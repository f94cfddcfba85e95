import { describe, expect, it } from "vitest";
import { parseRequest } from "./parse-request.js";

const action = (verb: string, orderIds: string[] = [], customerIds: string[] = []) => ({
  verb,
  orderIds,
  customerIds,
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
    ["Hello", []],
    ["", []],
  ])("reads %j", (text, stages) => {
    expect(parseRequest(text)).toEqual(stages);
  });
});
