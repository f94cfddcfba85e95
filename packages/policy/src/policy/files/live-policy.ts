import { CountersignError } from "../../shared/errors.js";
import { consoleLogger } from "../../shared/logger.js";
import { codeSource, type PolicyDefinition } from "../define-policy.js";
import type { Policy } from "../policy.js";
import { type ToolLike, toolFacts } from "../tool-facts.js";
import type { FileLayer } from "./file-format.js";
import { type JoinedPolicy, joinPolicyFiles, unusableFiles } from "./join-policy-files.js";
import { parsePolicyFile } from "./policy-file.js";
import { formatProblem, type PolicyProblem } from "./policy-problem.js";
import type { PolicyText } from "./policy-text.js";
import { readText } from "./read-policy-file.js";
import { refusingPolicy } from "./refusing-policy.js";
import { watchFiles } from "./watch-files.js";

export interface OpenPolicyOptions {
  /** Path of a policy file in any supported format. */
  defaults?: string | undefined;
  /** Path of a second policy file. The strictest rule of all files and code wins, so overrides can only tighten. */
  overrides?: string | undefined;
  /** Rules in code, joined with those of the files. */
  code?: PolicyDefinition | undefined;
  /** The agent's tools. Exact names in files that match none of them are reported as problems. */
  agentTools?: readonly ToolLike[] | undefined;
  /** Reload the policy within two seconds after a file changes. @default true */
  watch?: boolean | undefined;
  /** Called after a changed policy takes effect. */
  onReload?: ((policy: { version: string; previousVersion: string }) => void) | undefined;
  /** Called if files are invalid, at the start or after a change. @default `console.warn` */
  onProblem?: ((problems: readonly PolicyProblem[], status: "stale" | "refusing") => void) | undefined;
}

/** A policy that reloads its files. All members reflect the policy in force. */
export interface LivePolicy extends Policy {
  /**
   * `good`: the current files are in force. `stale`: the current files are invalid, and the last valid policy is in
   * force. `refusing`: there has been no valid policy yet, and every call is denied.
   */
  readonly status: "good" | "stale" | "refusing";
  /** Problems of the current files; empty if they are valid. */
  readonly problems: readonly PolicyProblem[];
  /** Warnings about the files in force. */
  readonly notes: readonly PolicyProblem[];
  /** Stops watching the files. The current policy stays in force. */
  close(): void;
}

/** Number of earlier policies kept for proposals whose step is repeated. */
const maxEarlier = 20;

/** Milliseconds a changed file must stay unchanged before it is loaded, since it may be half written. */
const settleMs = 75;

/** The same for a file that became shorter: truncated YAML can be a valid policy without the later rules. */
const settleShorterMs = 1000;

/**
 * Opens a policy from files and, optionally, code. Files are read immediately and watched. A valid change takes
 * effect within two seconds; an invalid one is reported, and the last valid policy stays in force. Until there is a
 * valid policy, every call is denied.
 *
 * @throws CountersignError `invalid_policy` for problems in code, `invalid_option` if neither files nor code are
 * given. Problems in files never throw.
 *
 * @example
 * ```ts
 * import { openPolicy } from "@countersign/policy/files";
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
    throw new CountersignError("invalid_option", 'openPolicy requires "defaults", "overrides" or "code"');
  }
  const code = options.code ? [codeSource(options.code)] : [];
  const tools = options.agentTools?.map(toolFacts);

  const earlier = new Map<string, Policy>();
  let snapshot = read(files);
  let policy: Policy = refusingPolicy([]);
  let status: LivePolicy["status"] = "refusing";
  let problems: readonly PolicyProblem[] = [];
  let notes: readonly PolicyProblem[] = [];
  let inForce: readonly PolicyText[] = [];

  const join = (): JoinedPolicy => {
    try {
      const parsed = snapshot.texts.map(({ file, layer, text }) =>
        text.ok
          ? parsePolicyFile(text.text, { file, layer, tools })
          : { ok: false as const, problems: [text.problem] },
      );
      return joinPolicyFiles(parsed, code);
    } catch (error) {
      return { ok: false, problems: [unusableFiles(error)] };
    }
  };
  const load = (): void => {
    const joined = join();
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
      if (earlier.size > maxEarlier && oldest !== undefined) earlier.delete(oldest);
    }
    ({ policy, notes } = joined);
    inForce = snapshot.texts.flatMap(({ text, ...file }) => (text.ok ? [{ ...file, text: text.text }] : []));
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
  let pending: { key: string; since: number } | undefined;
  const changed = (): void => {
    clearTimeout(settling);
    const now = read(files);
    if (now.key === snapshot.key) {
      pending = undefined;
      return;
    }
    if (now.key !== pending?.key) pending = { key: now.key, since: performance.now() };
    const settled = pending.since + (isShorter(now, snapshot) ? settleShorterMs : settleMs);
    const wait = settled - performance.now();
    if (wait > 0) {
      settling = setTimeout(changed, wait).unref();
      return;
    }
    pending = undefined;
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
    covers: (tool) => policy.covers?.(tool) ?? false,
    readsEffects: (tool, threadRules) => policy.readsEffects?.(tool, threadRules) ?? true,
    countsFor: (tool) => policy.countsFor?.(tool) ?? [],
    countedIn: (tool) => policy.countedIn?.(tool) ?? [],
    otherSpelling: (tool, present) => policy.otherSpelling?.(tool, present),
    channels: () => policy.channels?.() ?? [],
    files: () => inForce,
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

type Snapshot = ReturnType<typeof read>;

function isShorter(now: Snapshot, before: Snapshot): boolean {
  return now.texts.some(({ text }, index) => {
    const earlier = before.texts[index]?.text;
    return text.ok && earlier?.ok === true && text.text.length < earlier.text.length;
  });
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
      ? `the last valid policy (${policy.version.slice(0, 12)}) stays in force`
      : "every call is denied until they are fixed";
  consoleLogger.warn(
    `The policy files are invalid; ${meanwhile}:\n${problems.map((p) => `  ${formatProblem(p)}`).join("\n")}`,
  );
}

/** A failing callback must not stop the watch. */
function callSafely(call: () => void): void {
  try {
    call();
  } catch (error) {
    consoleLogger.warn("A callback of openPolicy failed", { error });
  }
}
