import { type Terms, termsSchema } from "@countersign/policy/internal/policy/rules/terms";
import { optionMs, wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import type { Transport } from "@modelcontextprotocol/client";
import * as z from "zod";

/** How to reach one MCP server: streamable HTTP, a process over stdio, or a transport of your own. */
export type McpServer = McpServerTerms &
  (
    | { url: string; headers?: Readonly<Record<string, string>> }
    | {
        command: string;
        args?: readonly string[];
        env?: Readonly<Record<string, string>>;
        cwd?: string;
      }
    | { transport: () => Transport }
  );

/** Terms of one MCP server, however it is reached. */
export interface McpServerTerms {
  /** Who may answer the server's questions, and how soon. Rules for `request_human_input` tighten this. */
  questions?: Pick<Terms, "approvers" | "timeout" | "risk">;
  /**
   * How long a call of a server that speaks a 2025 version stays open for an answer.
   * @default "5m"
   */
  holdFor?: string;
  /** The time limit of one request, without the time that people need to answer. @default "60s" */
  requestTimeout?: string;
}

export interface McpToolsOptions {
  /** The servers by name. A tool is named `<server><separator><tool>`, as rules and profiles see it. */
  servers: Readonly<Record<string, McpServer>>;
  /** The separator between the server's name and the tool's. Globs of an MCP bridge expect `"__"`. @default "-" */
  separator?: "-" | "__";
}

/** A server's options, checked. */
export interface CheckedServer {
  name: string;
  target:
    | { kind: "http"; url: URL; headers: Record<string, string> }
    | { kind: "stdio"; command: string; args: string[]; env?: Record<string, string>; cwd?: string }
    | { kind: "own"; open: () => Transport };
  questions: Pick<Terms, "approvers" | "timeout" | "risk">;
  holdMs: number;
  requestMs: number;
}

const terms = {
  questions: termsSchema.pick({ approvers: true, timeout: true, risk: true }).strict().optional(),
  holdFor: z.string().optional(),
  requestTimeout: z.string().optional(),
};
const texts = z.record(z.string(), z.string());
const serverSchema = z.union([
  z.strictObject({ ...terms, url: z.url({ protocol: /^https?$/ }), headers: texts.optional() }),
  z.strictObject({
    ...terms,
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: texts.optional(),
    cwd: z.string().optional(),
  }),
  z.strictObject({
    ...terms,
    transport: z.custom<() => Transport>((value) => typeof value === "function"),
  }),
]);
const nameSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

const oneOf = "needs a url (http or https), a command, or a transport function, and no other fields";

/** @throws CountersignError `invalid_option`, naming the server's field. */
export function checkedServer(name: string, given: McpServer): CheckedServer {
  const at = `servers.${name}`;
  if (!nameSchema.safeParse(name).success) {
    throw wrongOption(at, "must be named with 1 to 64 letters, digits, hyphens or underscores");
  }
  const parsed = serverSchema.safeParse(given);
  if (!parsed.success) throw wrongOption(at, `${oneOf}: ${zodProblems(parsed.error).join("; ")}`);
  const { questions = {}, holdFor = "5m", requestTimeout = "60s", ...target } = parsed.data;
  return {
    name,
    target: targetOf(target),
    questions,
    holdMs: optionMs(`${at}.holdFor`, holdFor),
    requestMs: optionMs(`${at}.requestTimeout`, requestTimeout),
  };
}

function targetOf(given: Omit<z.infer<typeof serverSchema>, keyof typeof terms>): CheckedServer["target"] {
  if ("url" in given && typeof given.url === "string") {
    return {
      kind: "http",
      url: new URL(given.url),
      headers: texts.parse(Reflect.get(given, "headers") ?? {}),
    };
  }
  if ("transport" in given && typeof given.transport === "function") {
    return { kind: "own", open: given.transport as () => Transport };
  }
  const {
    command,
    args = [],
    env,
    cwd,
  } = given as { command: string; args?: string[]; env?: Record<string, string>; cwd?: string };
  return { kind: "stdio", command, args, ...(env && { env }), ...(cwd !== undefined && { cwd }) };
}
