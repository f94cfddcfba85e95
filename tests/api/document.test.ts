import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { CountersignError, type CountersignErrorCode } from "countersign";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { holdForEnough } from "../support/properties/hold-for-enough.js";
import { type Schema, valuesOf } from "../support/properties/values-of-schema.js";
import { proposeCall } from "../support/proposals.js";

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
}

/** A value in hidden arguments and in requests, which no problem and no line of the console may repeat. */
const canary = "canary-5f1d";
const longestTime = 60_000;

let world: Awaited<ReturnType<typeof openApiWorld>>;
let document: Document;
/** The ids of the rows in the database, for operations that need one. */
let ids: string[];
let digests: string[];

beforeAll(async () => {
  world = await openApiWorld();
  document = (await (await world.request("nobody", "/openapi.json")).json()) as Document;
  const { store } = world;
  const calls = await Promise.all(
    (["approve", "edit", "respond", "deny"] as const).map((type) =>
      proposeCall(store, {
        calls: 3,
        input: { id: "A-1", secret: canary, amount: 80 },
        modelText: "I refund this",
        terms: {
          decisions: ["approve", "deny", type],
          editable: ["*"],
          redact: ["secret"],
          grantable: ["thread", "user", "team"],
          delegable: true,
        },
      }),
    ),
  );
  const all = calls.flat();
  const grants = await Promise.all(
    (await proposeCall(store, { calls: 2, terms: { grantable: ["team"] } })).map(async ({ id, digest }) => {
      const grant = { scope: "team" as const, arguments: "any" as const };
      const principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
      await world.countersign.decide({
        approvalId: id,
        digest,
        principal,
        type: "approve",
        reason: null,
        grant,
      });
      return id;
    }),
  );
  const given = await store.listGrants({ tenantId: "acme", limit: 10 });
  const { threadId } = await world.countersign.threads.open({
    owner: { id: "finance", tenantId: "acme", roles: [] },
  });
  digests = all.map(({ digest }) => digest);
  ids = [
    ...all.flatMap(({ id, requestId }) => [id, requestId]),
    ...grants,
    ...given.map(({ id }) => id),
    threadId,
  ];
}, longestTime);

afterAll(() => world[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { "date-time": /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ },
});

function operations(): { method: string; path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1, with unique operation ids and every path parameter", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(Object.keys(document.components.securitySchemes)).toEqual(
      expect.arrayContaining(document.security.flatMap(Object.keys)),
    );
    const names = operations().map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const listed = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(listed.map(({ name }) => name)).toEqual(inPath);
      expect(listed.every(({ required }) => required)).toBe(true);
      expect(operation.summary).not.toBe("");
      expect(Object.keys(operation.responses)).toContain("200");
    }
  });

  it("has only schemas of JSON Schema 2020-12", () => {
    const schemas = operations().flatMap(({ operation: { parameters = [], requestBody, responses } }) => [
      ...parameters.map(({ schema }) => schema),
      ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
      ...Object.values(responses).flatMap(({ content }) =>
        Object.values(content).map(({ schema }) => schema),
      ),
    ]);
    for (const schema of schemas) expect(() => validator(schema)).not.toThrow();
    expect(schemas.length).toBeGreaterThan(60);
  });

  it("describes the MCP server in every answer with whole approvals", () => {
    const described = operations().filter(({ operation }) => {
      const schema = JSON.stringify(operation.responses["200"]?.content ?? {});
      return schema.includes('"mcpServer":') && schema.includes("The host's name of the MCP server");
    });
    expect(described.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      "delete /approvals/{id}/snooze",
      "get /approvals",
      "get /approvals/{id}",
      "get /questions",
      "get /requests/{id}",
      "post /approvals/{id}/assign",
      "post /approvals/{id}/decision",
      "post /approvals/{id}/extend",
      "post /approvals/{id}/resolution",
      "post /approvals/{id}/snooze",
      "post /approvals/{id}/take-back",
      "post /approvals/{id}/undo",
      "post /approvals/{id}/viewing",
      "post /approve-tool",
      "post /decisions",
      "post /undos",
    ]);
  });

  it("says when an approval has no preview, and when it does not start", () => {
    const answer = document.paths["/approvals/{id}"]?.get?.responses["200"]?.content["application/json"];
    const text = JSON.stringify(answer?.schema.properties?.preview);
    expect(text).toContain("and in rows whose values are omitted");
    expect(text).toContain(
      "If the state on which it depends has changed at its start, the call does not run",
    );
  });

  it("describes what limits over time counted for an approval", () => {
    const answer = document.paths["/approvals/{id}"]?.get?.responses["200"]?.content["application/json"];
    const { required, properties } = answer?.schema.properties?.counts?.items ?? {};
    const fields = [
      "text",
      "condition",
      "tool",
      "amount",
      "per",
      "window",
      "limit",
      "total",
      "unit",
      "hidden",
      "exceeds",
    ];
    expect([required, Object.keys(properties ?? {})]).toEqual([fields, fields]);
    expect(answer?.schema.required).toContain("counts");
  });

  it("takes the effects of a call that the policy explains", () => {
    const asked = document.paths["/policy/explain"]?.post?.requestBody?.content["application/json"]?.schema;
    expect(Object.keys(asked?.properties ?? {})).toEqual(expect.arrayContaining(["effects", "reversible"]));
    expect(asked?.required).toEqual(["toolName", "input"]);
  });

  it("names its licence", () => {
    const { license } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(document.info.license).toEqual({ name: license, identifier: license });
  });

  it("lists the problems of every operation by status and code", () => {
    const open = ["health", "readiness", "getDocument", "receiveFromChannel"];
    for (const { operation } of operations()) {
      const { operationId: id, responses, requestBody, parameters = [] } = operation;
      const codes = Object.entries(responses).flatMap(([status, response]) => {
        const of = codesOf(response);
        for (const code of of) expect([id, code, statusOf(code)]).toEqual([id, code, status]);
        return of;
      });
      expect(new Set(codes).size, id).toBe(codes.length);
      if (!open.includes(id))
        expect(codes, id).toEqual(expect.arrayContaining(["unauthenticated", "internal"]));
      if (requestBody) expect(codes, id).toEqual(expect.arrayContaining(["too_large", "invalid_request"]));
      const byId = parameters.some((parameter) => parameter.in === "path");
      if (byId) expect(Object.keys(responses), id).toContain("404");
    }
    const listed = operations().find(({ operation }) => operation.operationId === "decide")?.operation;
    expect(Object.keys(listed?.responses ?? {})).toEqual([
      "200",
      "400",
      "401",
      "403",
      "404",
      "409",
      "410",
      "413",
      "415",
      "429",
      "503",
      "default",
    ]);
  });

  it("lists every route of the API, and no other", () => {
    const served = world.api.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`);
    const documented = operations().map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(served)].sort()).toEqual(documented.sort());
  });
});

const compiled = new Map<Schema, ValidateFunction>();

/** Validates by a schema, which may refer to the document's components. */
function validator(schema: Schema): ValidateFunction {
  const known = compiled.get(schema) ?? ajv.compile({ ...schema, components: document.components });
  compiled.set(schema, known);
  return known;
}

const otherProblem: Operation["responses"][string] = {
  description: "",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

function isNormal(url: string): boolean {
  return new URL(url, "http://api.invalid").pathname === url.split("?")[0];
}

function codesOf({ content }: Operation["responses"][string]): string[] {
  const schema = content["application/problem+json"]?.schema as { allOf?: Schema[] } | undefined;
  return (schema?.allOf ?? []).flatMap(({ properties }) => properties?.code?.enum ?? []).map(String);
}

/** The status under which the document lists a code. */
function statusOf(code: string): string {
  return code === "internal"
    ? "default"
    : String(new CountersignError(code as CountersignErrorCode, "").status);
}

const hostileIds = [
  ...["a/b", "..", ".", "%", "%00", "%2F..%2F", "%E0%A4%A", "%ED%A0%80", "\0", "ä€😀", " ", "x".repeat(9000)],
  ...["apr_x%0d%0aSet-Cookie: a=b", "{id}", "null", "-1", "' or 1=1 --"],
];
const contentTypes = fc.oneof(
  { weight: 20, arbitrary: fc.constant("application/json") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=x",
    ),
  },
);
const nested = (levels: number) => `${'{"a":['.repeat(levels)}1${"]}".repeat(levels)}`;
const brokenBodies = fc.constantFrom(
  ...["", "{", "nul", '"\\ud800"', "[1,]", "\ufeff{}", '{"a":1}{"a":1}', "9".repeat(400)],
  ...[nested(3000), `{"type":"edit","digest":"d","input":${nested(5000)}}`, `{"input":${nested(2000)}}`],
);

describe("a random request to any operation", () => {
  it("gets an answer that the document describes, and never a 500", async () => {
    const failures: string[] = [];
    for (const { method, path, operation } of operations()) {
      if (operation.operationId === "followEvents") continue;
      const succeeded = Object.entries(operation.responses["200"]?.content ?? {}).map(
        ([type, { schema }]) => [type, validator(schema)] as const,
      );
      const checked = holdForEnough(
        fc.asyncProperty(requestsOf(path, operation), async ({ url, headers, body, token }) => {
          const lines = quietConsole();
          const response = await world.request(token, url, {
            method: method.toUpperCase(),
            headers,
            ...(body === undefined ? {} : { body }),
          });
          const text = await response.text();
          const exchange = `${method} ${url.slice(0, 200)} → ${response.status} ${text.slice(0, 1000)}`;
          expect(lines(), exchange).toEqual([]);
          expect(response.status, exchange).toBeLessThan(500);
          expect(text, exchange).not.toMatch(/\n\s+at |node_modules|\.js:\d+|postgres|drizzle/i);
          const type = response.headers.get("content-type")?.split(";")[0] ?? "";
          if (response.ok) {
            const [, valid] = succeeded.find(([served]) => served === type) ?? [];
            expect(valid, exchange).toBeDefined();
            const answer: unknown = type === "application/json" ? JSON.parse(text) : text;
            expect(valid?.(answer) || valid?.errors, exchange).toBe(true);
          } else {
            expect(type, exchange).toBe("application/problem+json");
            const problem = JSON.parse(text);
            // A path with dots leads to another operation.
            const listed = isNormal(url) ? operation.responses[response.status] : otherProblem;
            const schema = listed?.content["application/problem+json"]?.schema;
            expect(schema, exchange).toBeDefined();
            const isProblem = validator(schema ?? {});
            expect(isProblem(problem) || isProblem.errors, exchange).toBe(true);
            expect(problem.status).toBe(response.status);
            expect(text, exchange).not.toContain(canary);
          }
        }),
        { numRuns: 60, interruptAfterTimeLimit: 8_000 },
        10,
      );
      await checked.catch((failure: Error) => failures.push(`${failure.message}\n${String(failure.cause)}`));
    }
    expect(failures).toEqual([]);
  }, 240_000);
});

/** Silences the console; the returned function lists what was written to it. */
function quietConsole(): () => string[] {
  const spies = (["log", "info", "warn", "error"] as const).map((level) => {
    vi.mocked(console[level]).mockReset?.();
    return vi.spyOn(console, level).mockImplementation(() => {});
  });
  return () => spies.flatMap((spy) => spy.mock.calls.map((call) => call.map(String).join(" ")));
}

function requestsOf(path: string, { parameters = [], requestBody }: Operation) {
  const [, { schema = undefined } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const query = fc.record(Object.fromEntries(inQuery.map(({ name, schema: of }) => [name, valuesOf(of)])), {
    requiredKeys: [],
  });
  const body = schema
    ? fc.oneof(
        {
          weight: 15,
          arbitrary: fc
            .tuple(valuesOf(schema), fc.constantFrom(...digests), fc.boolean())
            .map(([value, digest, known]) => JSON.stringify(known ? withCanary(value, digest) : value)),
        },
        { weight: 1, arbitrary: brokenBodies },
      )
    : fc.constant(undefined);
  return fc
    .record({
      id: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, fc.constantFrom(...hostileIds)),
      query,
      body,
      contentType: contentTypes,
      token: fc.constantFrom("finance", "finance", "requester", "auditor", "stranger", "nobody"),
    })
    .map(({ id, query: asked, contentType, ...rest }) => {
      const given = Object.entries(asked).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      const search = new URLSearchParams(given).toString().slice(0, 10_000);
      const part = hostileIds.includes(id) && id.includes("%") ? id : encodeURIComponent(id);
      return {
        ...rest,
        url: `${path.replace("{id}", part)}${search ? `?${search}` : ""}`,
        headers: { "content-type": contentType },
      };
    });
}

/** The body with the digest of an existing call, and with the canary in its arguments. */
function withCanary(value: unknown, digest: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const input = "input" in value ? { input: { ...Object(value.input), secret: canary } } : {};
  const response = "response" in value ? { response: { modelText: canary, was: value.response } } : {};
  return { ...value, ...("digest" in value ? { digest } : {}), ...input, ...response };
}
