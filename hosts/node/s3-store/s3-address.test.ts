import { describe, expect, it } from "vitest";
import { SettingsError } from "#service/settings.ts";
import { parseS3Address } from "./s3-address.ts";

describe("OBJECT_STORE", () => {
  it.each([
    [
      "s3://vods?endpoint=https://abc.r2.cloudflarestorage.com&region=auto",
      {
        bucket: "vods",
        prefix: "",
        endpoint: "https://abc.r2.cloudflarestorage.com",
        region: "auto",
      },
    ],
    [
      "s3://vods?endpoint=http://127.0.0.1:9000/base/",
      { bucket: "vods", prefix: "", endpoint: "http://127.0.0.1:9000/base", region: "auto" },
    ],
    [
      "s3://vods/team-1/staging/?endpoint=http://127.0.0.1:9000",
      {
        bucket: "vods",
        prefix: "team-1/staging/",
        endpoint: "http://127.0.0.1:9000",
        region: "auto",
      },
    ],
    [
      "s3://my.vods-1?region=eu-central-1",
      {
        bucket: "my.vods-1",
        prefix: "",
        endpoint: "https://s3.eu-central-1.amazonaws.com",
        region: "eu-central-1",
      },
    ],
  ])("is parsed from %s", (text, expected) => {
    expect(parseS3Address(text)).toEqual(expected);
  });

  it.each([
    "./folder",
    "https://bucket.s3.amazonaws.com",
    "s3://",
    "s3://a",
    "s3://Under_score?endpoint=https://x",
    "s3://vods",
    "s3://vods/a//b?endpoint=https://x",
    "s3://vods/../other?endpoint=https://x&region=%",
    "s3://vods/a%20b?endpoint=https://x",
    "s3://vods/.hidden?endpoint=https://x",
    "s3://vods/a/b/c/d/e?endpoint=https://x",
    "s3://vods?endpoint=ftp://x",
    "s3://vods?endpoint=https://user:secret@x",
    "s3://vods?endpoint=https://x&region=EU WEST",
    "s3://vods?endpont=https://x",
  ])("is rejected for %s in one sentence that names the setting", (text) => {
    expect(() => parseS3Address(text)).toThrow(SettingsError);
    expect(() => parseS3Address(text)).toThrow(/^OBJECT_STORE [^\n]+\.$/);
    expect(() => parseS3Address(text)).not.toThrow(/secret/);
  });
});
