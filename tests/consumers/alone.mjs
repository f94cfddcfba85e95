import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { compileErrors, run } from "./project.mjs";

/** Packages that an application need not have for its policies. */
const notForPolicies = ["countersign", "inngest", "@inngest/agent-kit", "drizzle-orm", "hono"];

/** The policy package, installed alone. */
export async function policyAlone({ folder }, check) {
  await check("a policy is judged, and nothing is installed that only runs need", async () => {
    const said = JSON.parse(await run(folder, "node", ["main.mjs"]));
    assert.deepEqual(said, { verdict: "ask", fileIsRead: true, shown: "a⟨U+200B⟩b" });
    const installed = notForPolicies.filter((name) => existsSync(join(folder, "node_modules", name)));
    assert.deepEqual(installed, []);
  });
}

/** The channels, installed alone: they bring countersign. */
export async function channelsAlone({ folder }, check) {
  await check("a channel is made without the client library of another", async () => {
    assert.deepEqual(JSON.parse(await run(folder, "node", ["main.mjs"])), {
      name: "webhooks",
      mode: "events",
    });
    assert.equal(existsSync(join(folder, "node_modules", "@slack")), false);
  });
}

/** The package of the command, installed alone: it brings countersign, which links the command. */
export async function cliAlone({ folder }, check) {
  await check("npx countersign checks a policy", async () => {
    assert.match(await run(folder, "npx", ["countersign", "policy", "check", "policy.yaml"]), /valid/);
  });
  await check("a job of an application removes old data, and what is left is verified", async () => {
    assert.deepEqual(JSON.parse(await run(folder, "node", ["main.mjs"])), {
      kept: 1,
      removed: { threads: 1, audit_entries: 1 },
      sealed: [1],
      archived: [{ ok: true, entries: 1 }],
      verified: { ok: true, signed: [true] },
    });
  });
}

/** A loop and an agent of `ai`, in a project without AgentKit. Node 22, which `ai` 7 needs, is a package of it. */
export async function withoutAgentKit({ folder }, check) {
  await check("a loop and an agent of ai wait for a person and run once, without AgentKit", async () => {
    assert.equal(existsSync(join(folder, "node_modules", "@inngest", "agent-kit")), false);
    const said = JSON.parse(await run(folder, "npx", ["node", "main.mjs"]));
    assert.deepEqual(said, { outputs: ["refunded A-1", "refunded A-2"], refunds: ["A-2"] });
  });
  await check("they compile with every check of every declaration file", async () => {
    assert.deepEqual(await compileErrors(folder, "desk.ts"), []);
  });
}
