import * as z from "zod/mini";
import type { AnyCall } from "#contract/call.ts";
import type { ProtocolCall } from "#contract/manual-uploads.ts";
import { rangeOfParameter } from "#contract/values.ts";
import { VERSION } from "#service/version.ts";
import { ERROR_STATUS, errorBodySchema } from "#contract/errors.ts";

type JsonObject = { readonly [name: string]: unknown };

/** The API's description in OpenAPI 3.1, written by the same contract that routes its calls. */
export function describeApi(
  calls: readonly AnyCall[],
  protocolCalls: readonly ProtocolCall[],
  serverUrl: string,
): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const call of calls) {
    const path = call.path.replace("+}", "}");
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: describeCall(call) };
  }
  for (const call of protocolCalls)
    paths[call.path] = {
      ...paths[call.path],
      [call.method.toLowerCase()]: describeProtocolCall(call),
    };
  return {
    openapi: "3.1.0",
    info: { title: "Vodkeep", version: VERSION },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "vodkeep_session" },
      },
    },
  };
}

function describeCall(call: AnyCall): JsonObject {
  return {
    summary: call.summary,
    "x-policy": call.policy,
    security: call.policy === "public" ? [] : [{ bearer: [] }, { cookie: [] }],
    parameters: [
      ...describeParameters(call.params, "path"),
      ...describeParameters(call.query, "query"),
    ],
    ...(call.body === undefined
      ? {}
      : {
          requestBody: {
            required: call.bodyOptional !== true,
            content: { "application/json": { schema: schemaOf(call.body, "input") } },
          },
        }),
    responses: {
      [String(call.successStatus ?? 200)]: describeSuccess(call),
      default: {
        description: `A refusal or failure: ${Object.keys(ERROR_STATUS).join(", ")}`,
        content: { "application/json": { schema: schemaOf(errorBodySchema, "output") } },
      },
    },
  };
}

/** Headers and bodies are those of tus 1.0.0. */
function describeProtocolCall(call: ProtocolCall): JsonObject {
  return {
    summary: call.summary,
    "x-policy": call.policy,
    externalDocs: { url: "https://tus.io/protocols/resumable-upload" },
    security: call.policy === "public" ? [] : [{ bearer: [] }, { cookie: [] }],
    parameters: call.path.includes("{id}")
      ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }]
      : [],
    responses: { [String(call.successStatus)]: { description: call.summary } },
  };
}

function describeSuccess(call: AnyCall): JsonObject {
  const data = schemaOf(call.data, "output");
  return {
    description: call.summary,
    content:
      call.stream === true
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
): readonly JsonObject[] {
  if (schema === undefined) return [];
  const { properties, required } = shapeSchema.parse(schemaOf(schema, "input"));
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

/** What JSON Schema cannot say, such as a transformation, is left open. */
function schemaOf(schema: z.core.$ZodType, io: "input" | "output"): JsonObject {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const range = rangeOfParameter(zodSchema);
      if (range === undefined) return;
      const { minimum, maximum, fallback } = range;
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { type: "integer", minimum, maximum, default: fallback });
    },
  });
}
