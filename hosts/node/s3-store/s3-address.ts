import { readKeyPrefix } from "#hosts/ports/key-prefix.ts";
import { SettingsError } from "#service/settings.ts";

/** The address of an S3-compatible bucket, parsed from OBJECT_STORE. */
export type S3Address = {
  readonly bucket: string;
  /** The prefix of every key: "", or a path that ends in a slash. */
  readonly prefix: string;
  /** Without a trailing slash; the bucket is the first segment of the path. */
  readonly endpoint: string;
  readonly region: string;
};

const EXAMPLE = "s3://bucket/prefix?endpoint=https://…&region=auto";

/**
 * Parses `s3://bucket/prefix?endpoint=…&region=…`. The prefix is optional. The default endpoint is
 * Amazon's for the region; the default region is `auto`, which R2 and MinIO accept.
 *
 * @throws {SettingsError} that describes the error.
 */
export function parseS3Address(text: string): S3Address {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "s3:")
    throw new SettingsError(`OBJECT_STORE must look like ${EXAMPLE}.`);
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host))
    throw new SettingsError(
      `OBJECT_STORE has an invalid bucket name: it must look like ${EXAMPLE}.`,
    );
  for (const name of url.searchParams.keys())
    if (name !== "endpoint" && name !== "region")
      throw new SettingsError(`OBJECT_STORE has an unknown parameter: ${name}.`);
  const region = url.searchParams.get("region") ?? "auto";
  if (!/^[a-z0-9-]{1,40}$/.test(region))
    throw new SettingsError("OBJECT_STORE has an invalid region.");
  const endpoint = url.searchParams.get("endpoint");
  if (endpoint === null && region === "auto")
    throw new SettingsError("OBJECT_STORE needs an endpoint, or a region of AWS.");
  return {
    bucket: url.host,
    prefix: readKeyPrefix(url.pathname),
    region,
    endpoint: readEndpoint(endpoint ?? `https://s3.${region}.amazonaws.com`),
  };
}

function readEndpoint(text: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === null || !isHttp || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new SettingsError("OBJECT_STORE has an endpoint that is not an http or https address.");
  return url.href.replace(/\/+$/, "");
}
