import { z } from "zod";
import { errorTable } from "../errors.js";
import { type Contract, contract } from "./contract/contract.js";
import { problemSchema } from "./contract/problem-schema.js";
import { type EndpointName, endpoints } from "./endpoints.js";

/** A JSON value of the document. */
type Json = Record<string, unknown>;

/**
 * The API as an OpenAPI 3.1 document, made of the schemas that check its requests. `serverUrl` is where it is mounted.
 */
export function openApiDocument({ serverUrl }: { serverUrl: string }): Json {
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
      description:
        "Approvals of tool calls: list, decide, follow. Dates are ISO 8601 in UTC; errors are problem details (RFC 9457) with a stable `code`.",
    },
    servers: [{ url: serverUrl }],
    security: [{ session: [] }, { token: [] }],
    paths,
    components: {
      schemas: { Problem: jsonSchema(problemSchema, "output") },
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A token that the host's `authenticate` knows",
        },
        session: { type: "apiKey", in: "cookie", name: "countersign", description: "A signed-in browser" },
      },
    },
  };
}

function operation(name: EndpointName, path: string): Json {
  const { summary, description, tag, query, body, response, headers, open }: Contract = contract[name];
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, parameter]) => ({
      name: parameter,
      in: "path",
      required: true,
      schema: { type: "string", minLength: 1 },
    })),
    ...parametersOf(query, "query"),
    ...parametersOf(headers, "header"),
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
        description: "As asked",
        content: { "application/json": { schema: jsonSchema(response, "output") } },
      },
      default: problemResponseOf,
    },
  };
}

const problemResponseOf = {
  description: `A problem; its code is one of ${Object.keys(errorTable).join(", ")} or internal`,
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

function parametersOf(schema: z.ZodType | undefined, where: "query" | "header"): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...described }]) => ({
    name,
    in: where,
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

/** What answers with something else than one piece of JSON. */
const streams: Record<string, Json> = {
  "/openapi.json": {
    get: {
      operationId: "getDocument",
      summary: "This document",
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
  "/reference": {
    get: {
      operationId: "getReference",
      summary: "This document, to be read",
      tags: ["document"],
      security: [],
      responses: {
        200: { description: "A page", content: { "text/html": { schema: { type: "string" } } } },
      },
    },
  },
  "/events": {
    get: {
      operationId: "followEvents",
      summary: "Follow what changes, as server-sent events",
      description:
        "The id of an event is a position in the audit log; a client that comes back with Last-Event-ID misses nothing.",
      tags: ["live"],
      parameters: [
        { name: "after", in: "query", required: false, schema: { type: "integer", minimum: 0 } },
        { name: "Last-Event-ID", in: "header", required: false, schema: { type: "string" } },
      ],
      responses: {
        200: {
          description: "Events `hello`, `change` and `viewing`",
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
        default: problemResponseOf,
      },
    },
  },
  "/audit/export": {
    get: {
      operationId: "exportAudit",
      summary: "The tenant's whole audit log, for auditors",
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
          description: "One entry a line",
          content: {
            "application/x-ndjson": { schema: { type: "string" } },
            "text/csv": { schema: { type: "string" } },
          },
        },
        default: problemResponseOf,
      },
    },
  },
};
