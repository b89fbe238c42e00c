import * as z from "zod/mini";
import type { AnyCall } from "#contract/call.ts";
import { ERROR_STATUS, errorBodySchema, type ErrorCode } from "#contract/errors.ts";
import { PROTOCOL_CALLS, type ProtocolCall } from "#contract/manual-uploads.ts";
import { NAMED_CALLS, NAMED_SCHEMAS, type NamedCall } from "#contract/registry.ts";
import { PARAMETER_RANGES } from "#contract/values.ts";
import { VERSION } from "#service/version.ts";
import { describeTusHeaders, TUS_DESCRIPTION } from "./openapi-tus.ts";

export type JsonObject = { readonly [name: string]: unknown };

const TAGS: Readonly<Record<string, string>> = {
  auth: "Sign-in and sessions",
  dashboard: "Figures and history for the dashboard",
  system: "Health, logs and maintenance",
  uploads: "Archives and manual uploads",
  "manual uploads": TUS_DESCRIPTION,
  consent: "The consent of channel owners to archiving",
  users: "Users, permissions and bans",
  costs: "Costs, budgets and alerts",
  files: "Stored files",
  notifications: "Notification preferences, tests and messages",
  audit: "The audit log",
};

/** Common refusals; each becomes a shared response. */
const REFUSALS: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_request: "A field, parameter or body that the contract does not allow",
  unauthenticated: "No live session",
  forbidden: "The session lacks the permission, or another site sent the request",
  not_found: "There is no such object",
  conflict: "The object is in a state that does not offer this, or exists already",
  too_large: "The body is too large",
  rate_limited: "Too many requests; `Retry-After` says when to try again",
};

/** The OpenAPI 3.1 description of the API, derived from the contract that routes its calls. */
export function describeApi(serverUrl: string): JsonObject {
  const writer = createSchemaWriter(NAMED_SCHEMAS);
  const paths: Record<string, Record<string, JsonObject>> = {};
  function add(path: string, method: string, operation: JsonObject): void {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  for (const named of NAMED_CALLS)
    add(named.call.path.replace("+}", "}"), named.call.method, describeCall(named, writer));
  for (const call of PROTOCOL_CALLS) add(call.path, call.method, describeProtocolCall(call));
  return {
    openapi: "3.1.0",
    info: {
      title: "Vodkeep",
      version: VERSION,
      description:
        "Archives Twitch VODs and manual uploads into object storage. Every success is `{data}`, " +
        "every failure `{error: {code, message, details?}}`. Times are ISO 8601 in UTC, sizes bytes, money USD.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: writer.components(),
      responses: Object.fromEntries([
        ...Object.entries(REFUSALS).map(([code, description]) => [
          code,
          errorResponse(description),
        ]),
        ["failure", errorResponse(`Any other failure: ${Object.keys(ERROR_STATUS).join(", ")}`)],
      ]),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The token of `auth/callback`, or an API token",
        },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: "vodkeep_session",
          description: "Named `__Host-vodkeep_session` over https",
        },
      },
    },
  };
}

function errorResponse(description: string): JsonObject {
  const schema = { $ref: "#/components/schemas/ErrorBody" };
  return { description, content: { "application/json": { schema } } };
}

function describeCall({ name, feature, call }: NamedCall, writer: SchemaWriter): JsonObject {
  return {
    operationId: name,
    tags: [feature],
    summary: call.summary,
    ...describePolicy(call.policy, call.policy === "session" || call.refusesTokens === true),
    parameters: [
      ...describeParameters(call.params, "path", writer),
      ...describeParameters(call.query, "query", writer),
    ],
    ...(call.body === undefined
      ? {}
      : {
          requestBody: {
            required: call.bodyOptional !== true,
            content: { "application/json": { schema: writer.write(call.body, "input") } },
          },
        }),
    responses: {
      [String(call.successStatus ?? 200)]: describeSuccess(call, writer),
      ...describeRefusals([
        ...((call.params ?? call.query ?? call.body) ? (["invalid_request"] as const) : []),
        ...(call.params === undefined ? [] : (["not_found"] as const)),
        ...(call.method === "GET" ? [] : (["conflict", "too_large"] as const)),
        ...refusalsOfPolicy(call.policy),
      ]),
    },
  };
}

/** Headers and bodies follow tus 1.0.0. */
function describeProtocolCall(call: ProtocolCall): JsonObject {
  const { parameters, requestBody, responseHeaders } = describeTusHeaders(call);
  const hasId = call.path.includes("{id}");
  return {
    operationId: `tus${call.method.charAt(0)}${call.method.slice(1).toLowerCase()}${hasId ? "Upload" : "Uploads"}`,
    tags: ["manual uploads"],
    summary: call.summary,
    ...describePolicy(call.policy),
    externalDocs: { url: "https://tus.io/protocols/resumable-upload" },
    parameters: [
      ...(hasId ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }] : []),
      ...parameters,
    ],
    ...(requestBody === null ? {} : { requestBody }),
    responses: {
      [String(call.successStatus)]: { description: call.summary, headers: responseHeaders },
      ...describeRefusals([
        "invalid_request",
        ...(hasId ? (["not_found"] as const) : []),
        ...(call.method === "POST" || call.method === "PATCH"
          ? (["conflict", "too_large"] as const)
          : []),
        ...refusalsOfPolicy(call.policy),
      ]),
    },
  };
}

function describePolicy(policy: AnyCall["policy"], refusesTokens = false): JsonObject {
  if (policy === "public")
    return { description: "Needs no session.", "x-policy": policy, security: [] };
  return {
    description:
      (policy === "session" ? "Needs a session." : `Needs the permission \`${policy}\`.`) +
      (refusesTokens ? " Refuses API tokens." : ""),
    "x-policy": policy,
    security: [{ bearer: [] }, { cookie: [] }],
  };
}

function refusalsOfPolicy(policy: AnyCall["policy"]): readonly ErrorCode[] {
  return policy === "public"
    ? ["forbidden", "rate_limited"]
    : ["unauthenticated", "forbidden", "rate_limited"];
}

function describeRefusals(codes: readonly ErrorCode[]): JsonObject {
  return {
    ...Object.fromEntries(
      codes.map((code) => [ERROR_STATUS[code], { $ref: `#/components/responses/${code}` }]),
    ),
    default: { $ref: "#/components/responses/failure" },
  };
}

function describeSuccess(call: AnyCall, writer: SchemaWriter): JsonObject {
  const data = writer.write(call.data, "output");
  return {
    description: call.summary,
    content:
      call.media !== undefined
        ? Object.fromEntries(call.media.map((type) => [type, { schema: data }]))
        : call.stream === true
          ? { "text/event-stream": { schema: data } }
          : call.lines === true
            ? { "application/jsonl": { schema: data }, "text/csv": { schema: { type: "string" } } }
            : {
                "application/json": {
                  schema: { type: "object", properties: { data }, required: ["data"] },
                },
              },
  };
}

function describeParameters(
  schema: z.core.$ZodType | undefined,
  place: "path" | "query",
  writer: SchemaWriter,
): readonly JsonObject[] {
  if (schema === undefined) return [];
  const { properties, required } = shapeSchema.parse(writer.write(schema, "input"));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property,
  }));
}

const shapeSchema = z.object({
  properties: z._default(z.record(z.string(), z.unknown()), {}),
  required: z._default(z.array(z.string()), []),
});

type SchemaWriter = {
  write(schema: z.core.$ZodType, io: "input" | "output"): JsonObject;
  /** The named schemas used in answers. */
  components(): JsonObject;
};

/** Writes JSON Schema. A named object of the contract is written once and referenced in answers. */
function createSchemaWriter(schemas: ReadonlyMap<string, z.core.$ZodType>): SchemaWriter {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of schemas) registry.add(schema, { id });
  const components: Record<string, unknown> = {};

  function write(schema: z.core.$ZodType, io: "input" | "output"): JsonObject {
    // Inside another schema, a named one is written as a reference.
    const written = z.toJSONSchema(z.object({ schema }), {
      io,
      // Anything that JSON Schema cannot express, such as a transformation, is left open.
      unrepresentable: "any",
      ...(io === "output" ? { metadata: registry } : {}),
      // Query values arrive as text; the document describes them as numbers.
      override({ zodSchema, jsonSchema }) {
        const range = PARAMETER_RANGES.get(zodSchema);
        if (range === undefined) return;
        delete jsonSchema.pattern;
        Object.assign(jsonSchema, { type: "integer", ...range });
      },
    });
    const { $defs, properties } = writtenSchema.parse(
      JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/')),
    );
    for (const [name, { id: _id, ...definition }] of Object.entries($defs))
      components[name] = definition;
    return properties.schema;
  }

  write(errorBodySchema, "output");
  return { write, components: () => components };
}

const definitionSchema = z.record(z.string(), z.unknown());

const writtenSchema = z.object({
  $defs: z._default(z.record(z.string(), definitionSchema), {}),
  properties: z.object({ schema: definitionSchema }),
});
