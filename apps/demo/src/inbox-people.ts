import { demoTokens } from "./demo-principals.js";

const notes: Record<string, string> = {
  "demo-requester": "asks the agent; sees what became of it",
  "demo-finance": "decides about refunds and emails",
  "demo-accountant": "finance too: a second person where two are needed",
  "demo-lead": "decides, and is the second for large refunds",
  "demo-legal": "sees what is hidden from others",
  "demo-admin": "decides, and reads the whole audit log",
};

/** Whom the sign-in page of the inbox offers to be. Their tokens are no secrets, in the demo only. */
export const demoPeople = demoTokens.map((token) => {
  const role = token.replace("demo-", "");
  const note = notes[token];
  return { token, name: `${role.charAt(0).toUpperCase()}${role.slice(1)}`, ...(note && { note }) };
});
