import { StoreError, type StoreErrorKind } from "#service/ports/object-store.ts";
import { elementText } from "./s3-xml.ts";

/** What went wrong, from S3's error codes (docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses). */
const KINDS: Readonly<Record<string, StoreErrorKind>> = {
  NoSuchUpload: "no_such_upload",
  InvalidPart: "bad_part",
  InvalidPartOrder: "bad_part",
  EntityTooSmall: "bad_part",
  EntityTooLarge: "bad_part",
  BadDigest: "bad_part",
  InvalidDigest: "bad_part",
  QuotaExceeded: "full",
  XMinioStorageFull: "full",
  XMinioAdminBucketQuotaExceeded: "full",
  SlowDown: "unavailable",
  InternalError: "unavailable",
  ServiceUnavailable: "unavailable",
  RequestTimeout: "unavailable",
  OperationAborted: "unavailable",
};

export type S3Failure = {
  /** Null when nothing answered. */
  readonly status: number | null;
  /** S3's own code, or "" when the answer carries none. */
  readonly code: string;
  readonly message: string;
};

export function readFailure(status: number, body: string): S3Failure {
  return {
    status,
    code: elementText(body, "Code") ?? "",
    message: elementText(body, "Message") ?? "",
  };
}

export function isWorthRepeating({ status, code }: S3Failure): boolean {
  if (status === null) return true;
  return status >= 500 ? status !== 501 && status !== 507 : status === 429 || isTransient(code);
}

function isTransient(code: string): boolean {
  return KINDS[code] === "unavailable";
}

export function toStoreError(doing: string, failure: S3Failure): StoreError {
  const { status, code, message } = failure;
  const kind = kindOf(failure);
  if (kind === "full") return new StoreError(kind, FULL[code] ?? "The object store is full.");
  const said = [status, code, message].filter((part) => part !== null && part !== "");
  return new StoreError(kind, `${doing}: ${said.join(" ")}`);
}

const FULL: Readonly<Record<string, string>> = {
  QuotaExceeded: "The bucket's quota is used up.",
  XMinioAdminBucketQuotaExceeded: "The bucket's quota is used up.",
};

function kindOf({ status, code }: S3Failure): StoreErrorKind {
  const known = KINDS[code];
  if (known !== undefined) return known;
  if (status === null) return "unavailable";
  if (status === 507) return "full";
  // Anything else the server has refused as it stands would be refused again.
  return status >= 500 || status === 429 ? "unavailable" : "denied";
}
