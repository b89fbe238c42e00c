import { toHex } from "#service/secrets/hex.ts";
import * as z from "zod/mini";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { MANUAL_UPLOADS_PATH, MAX_MANUAL_UPLOAD_BYTES } from "#contract/manual-uploads.ts";
import { ApiError } from "#service/api-error.ts";

/** The headers of tus 1.0.0 (tus.io/protocols/resumable-upload), read strictly. */

export const TUS_VERSION = "1.0.0";
export const TUS_EXTENSIONS =
  "creation,creation-defer-length,creation-with-upload,checksum,concatenation,expiration,termination";
export const CHECKSUM_ALGORITHMS = ["sha1", "sha256"] as const;

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
 * "The request MUST include one of the following headers: a) Upload-Length … b) Upload-Defer-Length:
 * 1 if upload size is not known at the time." Null when it is deferred.
 */
export function readDeclaredLength(headers: Headers): number | null {
  const length = readLength(headers);
  const deferred = headers.get("upload-defer-length");
  if (deferred !== null && deferred !== "1")
    throw new ApiError("invalid_request", "Upload-Defer-Length must be 1.");
  if ((length === null) === (deferred === null))
    throw new ApiError(
      "invalid_request",
      "Either Upload-Length or Upload-Defer-Length is required.",
    );
  return length;
}

export function readLength(headers: Headers): number | null {
  const length = readInteger(headers, "Upload-Length");
  // "If the length of the upload exceeds the maximum … the Server MUST respond with the 413".
  if (length !== null && length > MAX_MANUAL_UPLOAD_BYTES)
    throw new ApiError("too_large", "This file is larger than an upload can be.");
  return length;
}

export type Concat =
  | { readonly kind: "partial" }
  | { readonly kind: "final"; readonly header: string; readonly ids: readonly UploadId[] };

/** Clients cut a file into a handful of parts. */
const MAX_CONCATENATED = 100;

const concatenatedIds = z.array(uploadIdSchema).check(
  z.minLength(1),
  z.maxLength(MAX_CONCATENATED),
  z.refine((ids) => new Set(ids).size === ids.length),
);

/**
 * "The value of the Upload-Concat header MUST be `partial` … In the case of creating a final upload
 * … `final` followed by a semicolon and a space-separated list of partial upload URLs … The list
 * can contain absolute URLs". Null without the header.
 */
export function readConcat(headers: Headers): Concat | null {
  const header = headers.get("upload-concat");
  if (header === null) return null;
  if (header === "partial") return { kind: "partial" };
  const urls = header.startsWith("final;") ? header.slice("final;".length).trim().split(" ") : [];
  const ids = concatenatedIds.safeParse(
    urls.map((url) => {
      const [path = "", id] = url.split(/\/(?=[^/]*$)/);
      return path.endsWith(MANUAL_UPLOADS_PATH) ? id : null;
    }),
  );
  if (!ids.success)
    throw new ApiError(
      "invalid_request",
      `Upload-Concat takes "partial", or "final;" and the addresses of up to ${MAX_CONCATENATED} partial uploads.`,
    );
  return { kind: "final", header, ids: ids.data };
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
  const values = new Map<string, string>();
  for (const pair of header.split(",")) {
    const [key = "", encoded = "", ...rest] = pair.trim().split(" ");
    const bytes = decodeBase64(encoded);
    if (key === "" || rest.length > 0 || bytes === null || values.has(key))
      throw malformedMetadata();
    values.set(key, decodeText(bytes));
  }
  if (header.length > MAX_METADATA_LENGTH) throw malformedMetadata();
  return { header, filename: displayName(values.get("filename") ?? values.get("name") ?? "") };
}

/** The file name that people see: the last part of a path, without control characters. */
function displayName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const plain = last.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
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
