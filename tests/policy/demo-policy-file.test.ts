import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { demoInstallation } from "../support/demo/demo-process.js";
import { eventually } from "../support/harness.js";

const shipped = fileURLToPath(new URL("../../apps/demo/policy.yaml", import.meta.url));

it("the demo reloads its policy file while it runs, and keeps its rules if the file is broken", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "countersign-policy-")), "policy.yaml");
  copyFileSync(shipped, file);
  await using database = await freshPostgres(1);
  await using demo = await demoInstallation({ POLICY_FILE: file, DATABASE_URL: database.url });
  await demo.start();
  const waiting = await demo.say("Please refund order A-1001");
  const firstApproval = await demo.pending();
  expect(firstApproval).toMatchObject({ summary: "Refund 49.90 EUR for order A-1001", risk: "medium" });

  // A broken edit changes nothing: the next call is judged as before.
  writeFileSync(file, `${readFileSync(shipped, "utf8")}  - { tools: issue_refund, verdikt: deny }\n`);
  await demo.logged(/policy\.yaml.*verdikt|verdikt.*did you mean "verdict"/s);
  const second = await demo.say("Please refund order A-1002");
  await eventually(async () => {
    const { body } = await demo.call("finance", `/approvals?status=pending&threadId=${second.threadId}`);
    return body.items?.length === 1 ? true : undefined;
  }, "the second refund waits, as before");

  // A valid edit applies to the next call within two seconds.
  writeFileSync(
    file,
    `${readFileSync(shipped, "utf8")}  - { tools: issue_refund, verdict: deny, reason: Frozen }\n`,
  );
  await eventually(async () => {
    const { threadId } = await demo.say("Please refund order A-1003");
    const status = await eventually(async () => {
      const { body } = await demo.call("finance", `/approvals?threadId=${threadId}`);
      return body.items?.[0]?.status;
    }, "the refund is judged");
    return status === "denied" ? true : undefined;
  }, "the next refund is denied");

  // The pending call keeps its policy version. Approved now, it is withdrawn by the stricter rules.
  const { body } = await demo.call("finance", `/approvals/${firstApproval.id}`);
  expect(body).toMatchObject({ status: "pending", policyVersion: firstApproval.policyVersion });
  await demo.call("finance", `/approvals/${firstApproval.id}/decision`, {
    type: "approve",
    digest: firstApproval.digest,
  });
  await demo.threadDone(waiting.threadId);
  expect((await demo.call("finance", `/approvals/${firstApproval.id}`)).body).toMatchObject({
    status: "withdrawn",
    withdrawalCause: "policy_changed",
  });
  expect(await demo.effects()).toEqual([]);
});
