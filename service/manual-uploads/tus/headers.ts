import { toHex } from "#service/secrets/hex.ts";
import { MAX_MANUAL_UPLOAD_BYTES } from "#contract/manual-uploads.ts";
import { ApiError } from "#service/api-error.ts";
import { replaceHidden } from "#service/hidden-characters.ts";

/** The headers of tus 1.0.0 (tus.io/protocols/resumable-upload), read strictly. */

export const TUS_VERSION = "1.0.0";
export const TUS_EXTENSIONS = "creation,creation-with-upload,checksum,expiration,termination";
export const CHECKSUM_ALGORITHMS = ["sha1", "sha256"] as const;

/** The type of a body that carries bytes of a file. */
export const BODY_TYPE = "application/offset+octet-stream";

/** "The value MUST be a non-negative integer." */
export function readInteger(
  headers: Headers,
  name: "Content-Length" | "Upload-Length" | "Upload-Offset",
): number | null {
  const text = headers.get(name);
  if (text === null) return null;
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(value))
    throw new ApiError("invalid_request", `${name} must be a non-negative integer.`);
  return value;
}

/**
 * "If the version specified by the Client is not supported by the Server, it MUST respond with the
 * 412 Precondition Failed status and MUST include the Tus-Version header into the response."
 */
export function requireVersion(headers: Headers): void {
  if (headers.get("tus-resumable") === TUS_VERSION) return;
  throw new ApiError("invalid_request", `Tus-Resumable must be ${TUS_VERSION}.`, {
    status: 412,
    headers: { "tus-version": TUS_VERSION },
  });
}

/**
 * "The request MUST include … Upload-Length", as neither creation-defer-length nor concatenation is
 * offered. Ignoring their headers would store a part as a whole file.
 */
export function readLength(headers: Headers): number {
  if (headers.has("upload-concat"))
    throw new ApiError(
      "invalid_request",
      "Upload-Concat is not supported. Send the file as one upload, without parallel parts.",
    );
  if (headers.has("upload-defer-length"))
    throw new ApiError(
      "invalid_request",
      "Upload-Defer-Length is not supported. Declare the length of the file in Upload-Length.",
    );
  const length = readInteger(headers, "Upload-Length");
  if (length === null) throw new ApiError("invalid_request", "Upload-Length is required.");
  // "If the length of the upload exceeds the maximum … the Server MUST respond with the 413".
  if (length > MAX_MANUAL_UPLOAD_BYTES)
    throw new ApiError("too_large", "This file is larger than an upload can be.");
  return length;
}

export type Checksum = {
  readonly algorithm: (typeof CHECKSUM_ALGORITHMS)[number];
  /** Lower-case hex. */
  readonly digest: string;
};

const DIGEST_BYTES = { sha1: 20, sha256: 32 } as const;

/**
 * "The Upload-Checksum header MUST consist of the name of the used checksum algorithm and the
 * Base64 encoded checksum separated by a space." An unsupported algorithm is 400.
 */
export function readChecksum(headers: Headers): Checksum | null {
  const text = headers.get("upload-checksum");
  if (text === null) return null;
  const [name = "", encoded = "", ...rest] = text.split(" ");
  const algorithm = CHECKSUM_ALGORITHMS.find((each) => each === name);
  const bytes = decodeBase64(encoded);
  if (algorithm === undefined || rest.length > 0)
    throw new ApiError(
      "invalid_request",
      `Upload-Checksum takes ${CHECKSUM_ALGORITHMS.join(" and ")}.`,
    );
  if (bytes === null || bytes.length !== DIGEST_BYTES[algorithm])
    throw new ApiError("invalid_request", "Upload-Checksum has an invalid digest.");
  return { algorithm, digest: toHex(bytes) };
}

/** Enough for a name and a type; the header is returned on HEAD. */
const MAX_METADATA_LENGTH = 4_096;
const MAX_FILENAME_LENGTH = 200;

export type UploadMetadata = { readonly header: string | null; readonly filename: string };

/**
 * "The Upload-Metadata request and response header MUST consist of one or more comma-separated
 * key-value pairs. The key and value MUST be separated by a space. The key MUST NOT contain spaces
 * and commas and MUST NOT be empty. … the value MUST be Base64 encoded. All keys MUST be unique.
 * The value MAY be empty."
 */
export function readMetadata(headers: Headers): UploadMetadata {
  const header = headers.get("upload-metadata");
  if (header === null || header === "") return { header: null, filename: displayName("") };
  if (header.length > MAX_METADATA_LENGTH) throw malformedMetadata();
  const values = new Map<string, string>();
  for (const pair of header.split(",")) {
    const [key = "", encoded = "", ...rest] = pair.trim().split(" ");
    const bytes = decodeBase64(encoded);
    if (key === "" || rest.length > 0 || bytes === null || values.has(key))
      throw malformedMetadata();
    values.set(key, decodeText(bytes));
  }
  return { header, filename: displayName(values.get("filename") ?? values.get("name") ?? "") };
}

/** The file name that people see: the last part of a path, without control characters. */
function displayName(name: string): string {
  const plain = replaceHidden(name.split(/[/\\]/).at(-1) ?? "", "").trim();
  const cut = shortened(plain);
  return cut === "" || cut === "." || cut === ".." ? "upload" : cut;
}

/** Shortens a name but keeps its extension. */
function shortened(name: string): string {
  if (name.length <= MAX_FILENAME_LENGTH) return name;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? "";
  return name.slice(0, MAX_FILENAME_LENGTH - ending.length).toWellFormed() + ending;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw malformedMetadata(cause);
  }
}

function malformedMetadata(cause?: unknown): ApiError {
  return new ApiError("invalid_request", "Upload-Metadata is malformed.", { cause });
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
