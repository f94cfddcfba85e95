import { demoTokens } from "./demo-principals.js";

const notes: Record<string, string> = {
  "demo-requester": "asks the agent, and follows the outcome",
  "demo-finance": "approves refunds and emails",
  "demo-accountant": "finance: a second person for approvals that need two",
  "demo-lead": "approves, and is the second person for large refunds",
  "demo-legal": "sees values that are hidden from others",
  "demo-admin": "approves, and reads the whole audit log",
};

/** The people on the sign-in page of the inbox. Their tokens are public, in the demo only. */
export const demoPeople = demoTokens.map((token) => {
  const role = token.replace("demo-", "");
  const note = notes[token];
  return { token, name: `${role.charAt(0).toUpperCase()}${role.slice(1)}`, ...(note && { note }) };
});
