import type { Policy } from "./permissions.ts";

/**
 * Requests of the resumable-upload protocol tus 1.0.0 (tus.io/protocols/resumable-upload). They
 * carry headers and bytes instead of JSON, so they are not calls of the registry. Like those, each
 * is declared with its policy; routing, tests and the OpenAPI document read this list.
 */
export type ProtocolCall = {
  readonly method: "OPTIONS" | "POST" | "HEAD" | "PATCH" | "DELETE";
  readonly path: `/${string}`;
  readonly policy: Policy;
  readonly summary: string;
  readonly successStatus: 200 | 201 | 204;
};

export const MANUAL_UPLOADS_PATH = "/admin/uploads/manual";
const MANUAL_UPLOAD_PATH = `${MANUAL_UPLOADS_PATH}/{id}` as const;

/** 10,000 parts of 32 MiB. */
export const MAX_MANUAL_UPLOAD_BYTES = 10_000 * 32 * 1024 * 1024;

export const discoverManualUploads: ProtocolCall = {
  method: "OPTIONS",
  path: MANUAL_UPLOADS_PATH,
  policy: "public",
  summary: "The supported version and extensions of tus",
  successStatus: 204,
};

export const discoverManualUpload: ProtocolCall = {
  ...discoverManualUploads,
  path: MANUAL_UPLOAD_PATH,
};

export const createManualUpload: ProtocolCall = {
  method: "POST",
  path: MANUAL_UPLOADS_PATH,
  policy: "write:uploads",
  summary: "Create a manual upload, optionally with its first bytes",
  successStatus: 201,
};

export const manualUploadOffset: ProtocolCall = {
  method: "HEAD",
  path: MANUAL_UPLOAD_PATH,
  policy: "write:uploads",
  summary: "The offset of a manual upload: bytes that a crash cannot lose",
  successStatus: 200,
};

export const continueManualUpload: ProtocolCall = {
  method: "PATCH",
  path: MANUAL_UPLOAD_PATH,
  policy: "write:uploads",
  summary: "Append bytes at the current offset",
  successStatus: 204,
};

export const terminateManualUpload: ProtocolCall = {
  method: "DELETE",
  path: MANUAL_UPLOAD_PATH,
  policy: "write:uploads",
  summary: "Cancel an unfinished manual upload permanently and discard its bytes",
  successStatus: 204,
};

export const PROTOCOL_CALLS: readonly ProtocolCall[] = [
  discoverManualUploads,
  discoverManualUpload,
  createManualUpload,
  manualUploadOffset,
  continueManualUpload,
  terminateManualUpload,
];
