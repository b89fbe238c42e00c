import { expect, test } from "vitest";
import { factsSchema } from "#service/backups/stored-backups.ts";
import { parseJson } from "#service/parse-json.ts";
import { decodeManualManifest } from "./manifest.ts";

/** As the version of November 2026 wrote them: stores hold such files for good. Never changed. */
const STORED_MANIFEST =
  '{"version":1,"kind":"manual","uploadId":"c7d366f39307df3d2f67e717",' +
  '"objectKey":"uploads/1005/c7d366f39307df3d2f67e717/talk.mp4","filename":"talk.mp4",' +
  '"contentType":"video/mp4","owner":{"id":"1005","login":"kettle","displayName":"Kettle"},' +
  '"createdAt":"2026-11-20T21:50:01.000Z","stored":{"sizeBytes":9,"tag":"b63b-1",' +
  '"tagAlgorithm":"sha-256","partSizeBytes":8388608,"partSha256":["87b9"]}}';
const STORED_FACTS =
  '{"sizeBytes":383520,"sha256":"87b9","schema":"0010-channels","uploads":3,"files":4,' +
  '"auditHead":"12 ab34","keyFingerprint":"5e6f"}';

const decode = (text: string) => decodeManualManifest(new TextEncoder().encode(text));
const extended = (text: string) => text.replaceAll('{"', '{"later":{"a":1},"');

test("stored manifests and backups' facts are read whole, with what later versions add", () => {
  const known = JSON.parse(STORED_MANIFEST);
  expect(decode(STORED_MANIFEST)).toEqual(known);
  expect(decode(extended(STORED_MANIFEST))).toEqual(known);
  expect(decode(STORED_MANIFEST.replace('"version":1', '"version":2'))).toBeNull();
  const facts = { version: 1, ...JSON.parse(STORED_FACTS) };
  expect(parseJson(factsSchema, STORED_FACTS)).toEqual(facts);
  expect(parseJson(factsSchema, extended(STORED_FACTS))).toEqual(facts);
  expect(parseJson(factsSchema, JSON.stringify({ ...facts, version: 2 }))).toBeNull();
});
