import { CountersignError } from "../errors.js";
import { codeSource, type PolicyDefinition } from "./define-policy.js";
import type { FileLayer } from "./file-format.js";
import { joinPolicyFiles } from "./join-policy-files.js";
import type { Policy } from "./policy.js";
import { parsePolicyFile } from "./policy-file.js";
import { formatProblem, type PolicyProblem } from "./policy-problem.js";
import { readText } from "./read-policy-file.js";
import { refusingPolicy } from "./refusing-policy.js";
import { watchFiles } from "./watch-files.js";

export interface OpenPolicyOptions {
  /** Path of a policy file, of any of the formats. */
  defaults?: string | undefined;
  /** Path of another. The strictest of all files and of the code holds: an override can only tighten. */
  overrides?: string | undefined;
  /** Rules in code, which join those of the files. */
  code?: PolicyDefinition | undefined;
  /** The agent's tools: exact names in files that none of them has are problems. */
  agentTools?: readonly { name: string }[] | undefined;
  /** Whether a change of a file changes the policy, within two seconds. Left out: true. */
  watch?: boolean | undefined;
  /** Called when a changed policy is in force. */
  onReload?: ((policy: { version: string; previousVersion: string }) => void) | undefined;
  /** Called when files turn out to be wrong, at the start or later. Left out: `console.warn`. */
  onProblem?: ((problems: readonly PolicyProblem[], status: "stale" | "refusing") => void) | undefined;
}

/** A policy that follows its files. Everything about it is that of the policy in force. */
export interface LivePolicy extends Policy {
  /**
   * `good`: the files as they are now are in force. `stale`: they are wrong now, and the last good policy is in force.
   * `refusing`: there has been no good policy yet, and every call is denied.
   */
  readonly status: "good" | "stale" | "refusing";
  /** What is wrong with the files now; empty when they are good. */
  readonly problems: readonly PolicyProblem[];
  /** Worth knowing about the files in force, and no fault. */
  readonly notes: readonly PolicyProblem[];
  /** Stops following the files; the policy in force stays. */
  close(): void;
}

/** Policies of before that are kept, for runs that began under them. */
const mostEarlier = 20;

/** A changed file must read the same twice, this many milliseconds apart, lest half of a write be taken for a policy. */
const settleMs = 75;

/**
 * Opens a policy from files, and from code where given. Files are read at once, and followed: a good change is in
 * force within two seconds; a bad one leaves the last good policy in force and is reported. As long as there has been
 * no good one, every call is denied.
 *
 * @throws CountersignError `invalid_policy` for faults of the code, `invalid_option` where neither files nor code are
 * given. Faults of files never throw.
 *
 * @example
 * ```ts
 * import { openPolicy } from "countersign/policy";
 *
 * const policy = openPolicy({
 *   defaults: "config/policy.yaml",
 *   overrides: "config/policy.production.yaml",
 *   onProblem: (problems, status) => console.error(status, problems),
 * });
 * process.once("SIGTERM", () => policy.close());
 * ```
 */
export function openPolicy(options: OpenPolicyOptions): LivePolicy {
  const files = (["defaults", "overrides"] as const).flatMap((layer) => {
    const file = options[layer];
    return file === undefined ? [] : [{ file, layer }];
  });
  if (files.length === 0 && !options.code) {
    throw new CountersignError("invalid_option", 'openPolicy needs "defaults", "overrides" or "code"');
  }
  const code = options.code ? [codeSource(options.code)] : [];
  const toolNames = options.agentTools?.map((tool) => tool.name);

  const earlier = new Map<string, Policy>();
  let snapshot = read(files);
  let policy: Policy = refusingPolicy([]);
  let status: LivePolicy["status"] = "refusing";
  let problems: readonly PolicyProblem[] = [];
  let notes: readonly PolicyProblem[] = [];

  const load = (): void => {
    const parsed = snapshot.texts.map(({ file, layer, text }) =>
      text.ok
        ? parsePolicyFile(text.text, { file, layer, toolNames })
        : { ok: false as const, problems: [text.problem] },
    );
    const joined = joinPolicyFiles(parsed, code);
    if (!joined.ok) {
      problems = joined.problems;
      if (status === "refusing") policy = refusingPolicy(problems);
      else status = "stale";
      report(options, status === "refusing" ? "refusing" : "stale", policy, problems);
      return;
    }
    const previousVersion = policy.version;
    if (status !== "refusing") {
      earlier.set(previousVersion, policy);
      const [oldest] = earlier.keys();
      if (earlier.size > mostEarlier && oldest !== undefined) earlier.delete(oldest);
    }
    ({ policy, notes } = joined);
    problems = [];
    status = "good";
    const { version } = policy;
    if (opened && version !== previousVersion) {
      callSafely(() => options.onReload?.({ version, previousVersion }));
    }
  };
  let opened = false;
  load();
  opened = true;

  let settling: NodeJS.Timeout | undefined;
  let pending: string | undefined;
  const changed = (): void => {
    clearTimeout(settling);
    const now = read(files);
    if (now.key !== snapshot.key && now.key !== pending) {
      pending = now.key;
      settling = setTimeout(changed, settleMs).unref();
      return;
    }
    pending = undefined;
    if (now.key === snapshot.key) return;
    snapshot = now;
    load();
  };
  const unwatch =
    options.watch === false || files.length === 0
      ? undefined
      : watchFiles(
          files.map(({ file }) => file),
          changed,
        );

  return {
    get version() {
      return policy.version;
    },
    get profiles() {
      return policy.profiles;
    },
    get defaultProfile() {
      return policy.defaultProfile;
    },
    get status() {
      return status;
    },
    get problems() {
      return problems;
    },
    get notes() {
      return notes;
    },
    at: (version) => (version === policy.version ? policy : earlier.get(version)),
    evaluate: (call) => policy.evaluate(call),
    explain: (call) => policy.explain(call),
    close: () => {
      clearTimeout(settling);
      unwatch?.();
    },
  };
}

function read(files: readonly { file: string; layer: FileLayer }[]) {
  const texts = files.map(({ file, layer }) => ({ file, layer, text: readText(file) }));
  return { texts, key: JSON.stringify(texts) };
}

function report(
  { onProblem }: OpenPolicyOptions,
  status: "stale" | "refusing",
  policy: Policy,
  problems: readonly PolicyProblem[],
): void {
  if (onProblem) {
    callSafely(() => onProblem(problems, status));
    return;
  }
  const meanwhile =
    status === "stale"
      ? `the last good policy (${policy.version.slice(0, 12)}) stays in force`
      : "every call is denied until they are mended";
  console.warn(
    `countersign: the policy files are wrong, and ${meanwhile}:\n${problems.map((p) => `  ${formatProblem(p)}`).join("\n")}`,
  );
}

/** A callback that fails must not keep a policy from being followed. */
function callSafely(call: () => void): void {
  try {
    call();
  } catch (error) {
    console.warn("countersign: a callback of openPolicy failed:", error);
  }
}
