import picomatch from "picomatch";
import * as z from "zod";
import { CountersignError } from "../../shared/errors.js";

const globOptions = { dot: true, nonegate: true, posix: true };

const matchers = new Map<string, (toolName: string) => boolean>();
const maxMatchers = 10_000;

/** Whether a name in a rule is a glob. */
export function isGlob(name: string): boolean {
  return /[*?[{(!+@]/.test(name);
}

/**
 * Whether an exact name or glob matches the tool. Matchers are cached, since many rules share few globs.
 * @throws CountersignError `invalid_policy` for a glob that {@link negationProblem} should have refused.
 */
export function nameMatches(pattern: string, toolName: string): boolean {
  if (pattern === toolName) return true;
  if (!isGlob(pattern)) return false;
  let matches = matchers.get(pattern);
  if (!matches) {
    matches = compileGlob(pattern);
    if (matchers.size >= maxMatchers) matchers.clear();
    matchers.set(pattern, matches);
  }
  return matches(toolName);
}

/**
 * `*` matches anything. Tool names are not paths, so slashes, line breaks and the name `..`, which picomatch treats
 * specially, must not bypass a rule. Slashes and the start of the name are therefore hidden from picomatch. A glob
 * with slashes also matches as a path, where two stars and a slash may match nothing.
 */
function compileGlob(pattern: string): (toolName: string) => boolean {
  // A negated glob that matches nothing would loosen a rule in silence. An error refuses the call.
  const problem = negationProblem(pattern);
  if (problem !== undefined) throw new CountersignError("invalid_policy", `"${pattern}": ${problem}`);
  const asName = picomatch.makeRe(`t${hideSlashes(pattern)}`, globOptions);
  const matches = (toolName: string) => asName.test(`t${hideSlashes(toolName)}`);
  if (!pattern.includes("/")) return matches;
  const asPath = picomatch(pattern, { ...globOptions, bash: true });
  return (toolName) => matches(toolName) || asPath(toolName);
}

function hideSlashes(text: string): string {
  return text.includes("/") ? text.replaceAll("/", "\uE000") : text;
}

/** Without the leading `!` with which other programs negate a glob. `!(…)` is a glob like others. */
const notNegated = /^(?!(\.\/)?!(?!\((?!\?[!:<=])[\s\S]*\)))/;

/** Whether the name or glob begins with a `!` that is not that of `!(…)`. */
export function isNegated(pattern: string): boolean {
  return !notNegated.test(pattern);
}

/** What is wrong with a negated glob, and what to write instead. */
export function negationProblem(pattern: string): string | undefined {
  if (!isNegated(pattern)) return undefined;
  // Within parentheses, a question mark in front and other parentheses mean something else.
  const [, signs = "", rest = ""] = /^(?:\.\/)?(!+)([^()?][^()]*)$/.exec(pattern) ?? [];
  const instead = signs.length % 2 === 0 ? rest : `!(${rest})`;
  return rest === "" || instead === pattern
    ? 'must not begin with "!", except in a glob such as "!(time__*)"'
    : `must not begin with "!"; write "${instead}"${instead === rest ? "" : ` for every tool that ${rest} does not match`}`;
}

/** An exact tool name or glob, as it may be written in rules. */
export const toolPatternSchema = z
  .string()
  .min(1)
  .regex(notNegated, { error: ({ input }) => negationProblem(String(input)) });
