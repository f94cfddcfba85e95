import { ask, definePolicy } from "@countersign/policy";
import { visibleText } from "@countersign/policy/display";
import { parsePolicyFile } from "@countersign/policy/files";

const policy = definePolicy({ tools: { refund: ask({ approvers: { roles: ["finance"] } }) } });
const file = parsePolicyFile("version: 1\nrules:\n  - { tools: refund, verdict: ask }\n", {
  file: "policy.yaml",
});
console.log(
  JSON.stringify({
    verdict: policy.evaluate({ toolName: "refund", input: {} }).kind,
    fileIsRead: file.ok,
    shown: visibleText("a\u200bb"),
  }),
);
