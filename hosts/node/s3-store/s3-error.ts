import { StoreError, type StoreErrorKind } from "#service/ports/object-store.ts";
import { foreignWords } from "#service/secrets/foreign-words.ts";
import { elementText } from "./s3-xml.ts";

type Meaning = {
  readonly kind: StoreErrorKind;
  /** Advice for the operator; without it the server's own message is shown. */
  readonly sentence?: string;
};

const WRONG_REGION: Meaning = {
  kind: "denied",
  sentence: "the bucket is in another region; set region in OBJECT_STORE",
};

const QUOTA_USED_UP: Meaning = { kind: "full", sentence: "The bucket's quota is used up." };

const FULL: Meaning = { kind: "full", sentence: "The object store is full." };

const WRONG_KMS_KEY: Meaning = {
  kind: "denied",
  sentence: "the store cannot use the KMS key of the bucket in OBJECT_STORE",
};

const NOT_THE_STORE = "a server that is not the store answered";

const THROTTLED: Meaning = { kind: "unavailable" };

const VIRTUAL_HOST_ONLY: Meaning = {
  kind: "denied",
  sentence:
    "the store wants the bucket's name in the host name; OBJECT_STORE needs an endpoint that takes it in the path",
};

/**
 * Meanings of S3's error codes (docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses), and those
 * of Ceph, MinIO, Swift, Alibaba and Tencent. Errors are distinguished by code, because servers use
 * different statuses for the same error: a full bucket is 403 on one and 507 on another.
 *
 * A code that is not here, such as BadDigest, IncompleteBody or ConditionalRequestConflict, means
 * nothing by itself: the request is sent again, as after a 500.
 */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  NoSuchUpload: { kind: "no_such_upload" },
  InvalidPart: { kind: "bad_part" },
  InvalidPartOrder: { kind: "bad_part" },
  EntityTooSmall: { kind: "bad_part" },
  EntityTooLarge: { kind: "bad_part" },
  QuotaExceeded: QUOTA_USED_UP,
  XMinioStorageFull: FULL,
  XMinioAdminBucketQuotaExceeded: QUOTA_USED_UP,
  InvalidAccessKeyId: {
    kind: "denied",
    sentence: "the store does not know the key in S3_ACCESS_KEY_ID",
  },
  SignatureDoesNotMatch: {
    kind: "denied",
    sentence: "S3_SECRET_ACCESS_KEY does not belong to S3_ACCESS_KEY_ID",
  },
  AccessDenied: {
    kind: "denied",
    sentence: "the key in S3_ACCESS_KEY_ID may not do this in the bucket of OBJECT_STORE",
  },
  InvalidObjectState: {
    kind: "cold",
    sentence: "the object is in cold storage; it can be read after it was restored at the store",
  },
  ObjectLocked: { kind: "denied", sentence: "Object Lock protects the object" },
  KMS: WRONG_KMS_KEY,
  "KMS.ThrottlingException": THROTTLED,
  AllAccessDisabled: { kind: "denied" },
  AccountProblem: { kind: "denied" },
  RequestTimeTooSkewed: {
    kind: "denied",
    sentence: "this machine's clock and the store's differ by too much",
  },
  NoSuchBucket: { kind: "denied", sentence: "the bucket in OBJECT_STORE does not exist" },
  InvalidBucketName: { kind: "denied", sentence: "the store takes no bucket of this name" },
  PermanentRedirect: WRONG_REGION,
  TemporaryRedirect: WRONG_REGION,
  AuthorizationHeaderMalformed: WRONG_REGION,
  SecondLevelDomainForbidden: VIRTUAL_HOST_ONLY,
  PathStyleDomainForbidden: VIRTUAL_HOST_ONLY,
  // Some servers answer these with 403.
  RequestLimitExceeded: THROTTLED,
  Throttling: THROTTLED,
};

/** For responses without an error code; HEAD never has one. */
const MEANINGS_BY_STATUS: Readonly<Record<number, Meaning>> = {
  301: WRONG_REGION,
  307: WRONG_REGION,
  401: {
    kind: "denied",
    sentence: "the store refuses the key in S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY",
  },
  403: {
    kind: "denied",
    sentence: "the store refuses the key in S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY",
  },
  // A 404 without an S3 error code comes from a proxy, e.g. while the store behind it restarts.
  404: { kind: "unavailable", sentence: NOT_THE_STORE },
  507: FULL,
};

/** What the server says is plain text here, and no secret. */
export class S3Failure {
  /** Null when nothing answered. */
  readonly status: number | null;
  /** S3's own code, or "" when the response has none. */
  readonly code: string;
  readonly message: string;
  /** The bucket's region, if the server reports it. */
  readonly region: string | null;
  readonly isTimeout: boolean;

  constructor(
    status: number | null,
    message: string,
    { code = "", region = null as string | null, isTimeout = false } = {},
  ) {
    this.status = status;
    this.message = foreignWords(message);
    this.code = /^[\w.]{1,80}$/.test(code) ? code : "";
    this.region = /^[a-z0-9-]{1,40}$/.test(region ?? "") ? region : null;
    this.isTimeout = isTimeout;
  }
}

export function readFailure(status: number, headers: Headers | null, body: string): S3Failure {
  return new S3Failure(status, elementText(body, "Message") ?? "", {
    code: elementText(body, "Code") ?? "",
    region: elementText(body, "Region") ?? headers?.get("x-amz-bucket-region") ?? null,
  });
}

/** There was no response. `isTimeout`: the time limit passed. */
export function noAnswer(message: string, isTimeout: boolean): S3Failure {
  return new S3Failure(null, message, { isTimeout });
}

/** For example a proxy's page with status 200. */
export function notTheStore(status: number): S3Failure {
  return new S3Failure(status, NOT_THE_STORE);
}

/** Failures that may pass within a second. Callers handle a server that timed out. */
export function isWorthRepeating(failure: S3Failure): boolean {
  const { status, isTimeout } = failure;
  return meaningOf(failure).kind === "unavailable" && !isTimeout && status !== 501;
}

export function toStoreError(doing: string, failure: S3Failure): StoreError {
  const { kind, sentence } = meaningOf(failure);
  const { status, code, message, region } = failure;
  if (kind === "full" && sentence !== undefined) return new StoreError(kind, sentence);
  if (status === null) return new StoreError(kind, `${doing}: ${message}`);
  const where = sentence === WRONG_REGION.sentence && region !== null ? ` to ${region}` : "";
  const what = sentence === undefined ? message : `${sentence}${where}`;
  const codes = `${status} ${code}`.trim();
  return new StoreError(kind, `${doing}: ${what === "" ? codes : `${what} (${codes})`}`);
}

function meaningOf({ status, code, message }: S3Failure): Meaning {
  // Amazon reports a locked object as AccessDenied.
  const name = code === "AccessDenied" && /object lock/i.test(message) ? "ObjectLocked" : code;
  const known = MEANINGS[name] ?? MEANINGS[name.split(".", 1)[0] ?? ""];
  if (known !== undefined) return known;
  const byStatus = MEANINGS_BY_STATUS[status ?? 0] ?? { kind: "unavailable" };
  // The code and the server's own message say more than the status.
  return code === "" ? byStatus : { kind: byStatus.kind };
}
