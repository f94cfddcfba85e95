import { describe, expect, it } from "vitest";
import { defaultTerms } from "./default-terms.js";
import { earlierCall, type SameCall } from "./earlier-call.js";

const terms = defaultTerms;
const call = { inputJson: '{"amount":80,"card":"4242"}', edited: null, threadId: "thr_1", terms };

const ran = (approvalId: string, startedAt: string, parts: Partial<SameCall> = {}): SameCall => ({
  ...{ approvalId, threadId: "thr_2", status: "executed", decidedBy: "ada", redact: [], redactPatterns: [] },
  ...{ startedAt: new Date(startedAt), finishedAt: new Date(startedAt) },
  ...parts,
});

describe("the earlier call", () => {
  it("is the one that has started last, in any conversation", () => {
    const same = [ran("apr_1", "2026-01-02"), ran("apr_2", "2026-01-04"), ran("apr_3", "2026-01-03")];
    expect(earlierCall(call, same, false)?.approvalId).toBe("apr_2");
    expect(earlierCall({ ...call, threadId: null }, same, false)?.approvalId).toBe("apr_2");
    expect(earlierCall(call, [], false)).toBeUndefined();
  });

  it("is of the same conversation if a value is hidden from the reader, in this call or in the other", () => {
    const elsewhere = ran("apr_1", "2026-01-04");
    const here = ran("apr_2", "2026-01-02", { threadId: "thr_1" });
    const hiding = { ...call, terms: { ...terms, redact: ["card"] } };
    expect(earlierCall(hiding, [elsewhere], false)).toBeUndefined();
    expect(earlierCall(hiding, [elsewhere, here], false)).toBe(here);
    expect(earlierCall(hiding, [elsewhere], true)).toBe(elsewhere);
    const hidden = ran("apr_3", "2026-01-05", { redactPatterns: ["42"] });
    expect(earlierCall(call, [hidden, elsewhere], false)).toBe(elsewhere);
    const inNoThread = { ...hiding, threadId: null };
    expect(earlierCall(inNoThread, [ran("apr_4", "2026-01-05", { threadId: null })], false)).toBeUndefined();
  });

  it("is compared by what was edited", () => {
    const edited = { inputJson: '{"amount":80}', digest: "e" };
    const hiding = { ...call, edited, terms: { ...terms, redact: ["card"] } };
    expect(earlierCall(hiding, [ran("apr_1", "2026-01-02")], false)?.approvalId).toBe("apr_1");
  });
});
