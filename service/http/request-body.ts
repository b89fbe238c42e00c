import type { AnyCall } from "#contract/call.ts";
import { MAX_BODY_BYTES } from "#contract/limits.ts";
import { ApiError } from "#service/api-error.ts";
import { parseStrictJson } from "./strict-json.ts";

/** `application/json`, alone or naming the only encoding JSON has (RFC 8259 section 8.1). */
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * The body of a JSON call, or undefined when there is none.
 * @throws {ApiError} too_large, unsupported_media_type or invalid_request
 */
export async function readJsonBody(request: Request, call: AnyCall): Promise<unknown> {
  const declared = Number(request.headers.get("content-length") ?? "0");
  if (declared > MAX_BODY_BYTES) refuseSize();
  const bytes = await readUpTo(request, MAX_BODY_BYTES);
  if (bytes.length === 0) {
    if (call.body === undefined || call.bodyOptional === true) return undefined;
    throw new ApiError("invalid_request", "This call needs a JSON body.");
  }
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity")
    throw new ApiError("unsupported_media_type", "Compressed request bodies are not accepted.");
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? ""))
    throw new ApiError("unsupported_media_type", "Request bodies must be application/json.");
  const value = parseStrictJson(decodeUtf8(bytes));
  if (call.body === undefined && !isEmptyObject(value))
    throw new ApiError("invalid_request", "This call accepts no body.");
  return call.body === undefined ? undefined : value;
}

async function readUpTo(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body) {
      length += chunk.length;
      if (length > limit) refuseSize();
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError("invalid_request", "The request body broke off.", { cause });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function refuseSize(): never {
  throw new ApiError("too_large", `A request body can have at most ${MAX_BODY_BYTES / 1024} KB.`);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError("invalid_request", "The request body is not valid UTF-8.", { cause });
  }
}

/** Some clients send `{}` to calls without a body. */
function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0
  );
}
