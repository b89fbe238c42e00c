import type { ProtocolCall } from "#contract/manual-uploads.ts";
import type { JsonObject } from "./openapi.ts";

/** Headers and bodies of tus 1.0.0 and its extensions (tus.io/protocols/resumable-upload). */

export const TUS_DESCRIPTION =
  "Resumable uploads by tus 1.0.0. Any tus client works: give it the address of the collection.";

type Method = ProtocolCall["method"];

const VERSION_HEADER = header("Tus-Resumable", "The protocol version", { const: "1.0.0" });

const REQUEST_HEADERS: Readonly<Record<Method, readonly Header[]>> = {
  OPTIONS: [],
  POST: [
    VERSION_HEADER,
    header("Upload-Length", "Size of the whole file in bytes", { type: "integer", minimum: 0 }),
    header("Upload-Metadata", "`filename` and, optionally, `filetype`, each in Base64", {
      type: "string",
    }),
  ],
  HEAD: [VERSION_HEADER],
  PATCH: [
    VERSION_HEADER,
    header("Upload-Offset", "The offset of the first byte", { type: "integer", minimum: 0 }),
    header("Upload-Checksum", "`sha256 <Base64>` or `sha1 <Base64>` of this body", {
      type: "string",
    }),
  ],
  DELETE: [VERSION_HEADER],
};

const RESPONSE_HEADERS: Readonly<Record<Method, readonly Header[]>> = {
  OPTIONS: [
    header("Tus-Version", "Versions spoken", { type: "string" }),
    header("Tus-Extension", "Extensions spoken", { type: "string" }),
    header("Tus-Max-Size", "Largest upload in bytes", { type: "integer" }),
  ],
  POST: [
    header("Location", "Address of the upload", { type: "string" }),
    header("Upload-Offset", "Bytes stored, if the request sent any", { type: "integer" }),
  ],
  HEAD: [
    header("Upload-Offset", "Bytes stored so far", { type: "integer" }),
    header("Upload-Length", "Size of the whole file", { type: "integer" }),
  ],
  PATCH: [
    header(
      "Upload-Offset",
      "Bytes stored so far. May be fewer than were sent: continue from there",
      { type: "integer" },
    ),
  ],
  DELETE: [],
};

const REQUIRED_HEADERS: Readonly<Partial<Record<Method, string>>> = {
  POST: "Upload-Length",
  PATCH: "Upload-Offset",
};

const BODY_TYPE = "application/offset+octet-stream";

export function describeTusHeaders({ method }: ProtocolCall): {
  readonly parameters: readonly JsonObject[];
  readonly requestBody: JsonObject | null;
  readonly responseHeaders: JsonObject;
} {
  const hasBody = method === "POST" || method === "PATCH";
  return {
    parameters: REQUEST_HEADERS[method].map(({ name, description, schema }) => ({
      name,
      in: "header",
      required: name === "Tus-Resumable" || name === REQUIRED_HEADERS[method],
      description,
      schema,
    })),
    requestBody: hasBody
      ? {
          required: method === "PATCH",
          content: { [BODY_TYPE]: { schema: { type: "string", format: "binary" } } },
        }
      : null,
    responseHeaders: Object.fromEntries(
      RESPONSE_HEADERS[method].map(({ name, description, schema }) => [
        name,
        { description, schema },
      ]),
    ),
  };
}

type Header = { readonly name: string; readonly description: string; readonly schema: JsonObject };

function header(name: string, description: string, schema: JsonObject): Header {
  return { name, description, schema };
}
