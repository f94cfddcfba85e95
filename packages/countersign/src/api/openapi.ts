import { type CountersignErrorCode, errorTable } from "@countersign/policy/internal/shared/errors";
import * as z from "zod";
import { type Contract, contract } from "./contract/contract.js";
import { problemSchema } from "./contract/problem-schema.js";
import { problemsOf, signedInProblems } from "./contract/problems.js";
import { type EndpointName, endpoints } from "./endpoints.js";

/** A JSON object of the document. */
type Json = Record<string, unknown>;

/** Generates the OpenAPI 3.1 document, without servers, from the schemas that validate requests. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const { method, path } = endpoints[name];
    const at = path.replace(/:(\w+)/g, "{$1}");
    paths[at] = { ...paths[at], [method]: operation(name, path) };
  }
  for (const [path, item] of Object.entries(streams)) paths[path] = item;
  return {
    openapi: "3.1.0",
    info: {
      title: "Countersign approvals API",
      version: "1",
      license: { name: "MIT", identifier: "MIT" },
      description:
        "List, decide and follow approvals of tool calls. Dates are ISO 8601 in UTC. Errors are problem details (RFC 9457) with a stable `code`.",
    },
    servers: [],
    security: [{ session: [] }, { token: [] }],
    paths,
    components: {
      schemas: { Problem: jsonSchema(problemSchema, "output") },
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A token that the host's `authenticate` accepts",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "countersign",
          description: "Session cookie of a signed-in browser",
        },
      },
    },
  };
}

function operation(name: EndpointName, path: string): Json {
  const { summary, description, tag, query, body, response, open }: Contract = contract[name];
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, parameter]) => ({
      name: parameter,
      in: "path",
      required: true,
      schema: { type: "string", minLength: 1 },
    })),
    ...queryParameters(query),
  ];
  return {
    operationId: name,
    summary,
    ...(description ? { description } : {}),
    tags: [tag],
    ...(open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: jsonSchema(body, "input") } },
          },
        }
      : {}),
    responses: {
      200: {
        description: "Success",
        content: { "application/json": { schema: jsonSchema(response, "output") } },
      },
      ...problemResponses(problemsOf(name)),
    },
  };
}

/** Error responses by status, each with its possible codes. */
function problemResponses(codes: readonly CountersignErrorCode[]): Json {
  const byStatus = new Map<number, CountersignErrorCode[]>();
  for (const code of codes) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return {
    ...Object.fromEntries([...byStatus].map(([status, its]) => [status, problemResponse(its)])),
    default: problemResponse(["internal"]),
  };
}

function problemResponse(codes: readonly string[]): Json {
  const schema = {
    allOf: [{ $ref: "#/components/schemas/Problem" }, { properties: { code: { enum: codes } } }],
  };
  return { description: codes.join(", "), content: { "application/problem+json": { schema } } };
}

function queryParameters(schema: z.ZodType | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...described }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: described,
  }));
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
  });
  return described;
}

/** Endpoints that do not return a single JSON value. */
const streams: Record<string, Json> = {
  "/openapi.json": {
    get: {
      operationId: "getDocument",
      summary: "Get this OpenAPI document",
      tags: ["document"],
      security: [],
      responses: {
        200: {
          description: "An OpenAPI 3.1 document",
          content: { "application/json": { schema: { type: "object" } } },
        },
      },
    },
  },
  "/channels/{name}": {
    post: {
      operationId: "receiveFromChannel",
      summary: "Receive what people do in a channel, such as a click in Slack",
      description:
        "Carries no session: the channel verifies its sender. The body and the response are the channel's own.",
      tags: ["channels"],
      security: [],
      parameters: [{ name: "name", in: "path", required: true, schema: { type: "string", minLength: 1 } }],
      responses: {
        200: { description: "The channel's own response", content: {} },
        ...problemResponses(["not_found", "too_large", "not_migrated", "database_failed"]),
      },
    },
  },
  "/events": {
    get: {
      operationId: "followEvents",
      summary: "Follow changes as server-sent events",
      description:
        "An event's id is a position in the audit log. A client that reconnects with Last-Event-ID misses no change.",
      tags: ["live"],
      parameters: [
        { name: "after", in: "query", required: false, schema: { type: "integer", minimum: 0 } },
        { name: "Last-Event-ID", in: "header", required: false, schema: { type: "string" } },
      ],
      responses: {
        200: {
          description: "Events `hello`, `change`, `viewing` and `stops`",
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
        ...problemResponses(["invalid_request", ...signedInProblems]),
      },
    },
  },
  "/audit/export": {
    get: {
      operationId: "exportAudit",
      summary: "Export the tenant's audit log. Auditors only",
      tags: ["audit"],
      parameters: [
        {
          name: "format",
          in: "query",
          required: false,
          schema: { enum: ["jsonl", "csv"], default: "jsonl" },
        },
      ],
      responses: {
        200: {
          description: "One entry per line",
          content: {
            "application/x-ndjson": { schema: { type: "string" } },
            "text/csv": { schema: { type: "string" } },
          },
        },
        ...problemResponses(["invalid_request", "auditors_only", ...signedInProblems]),
      },
    },
  },
};
