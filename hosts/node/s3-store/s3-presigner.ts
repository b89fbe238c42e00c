import { AwsV4Signer } from "aws4fetch";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { S3Address } from "./s3-address.ts";
import { type S3Credentials, toUrl } from "./s3-client.ts";
import { checkedKey } from "./s3-head.ts";

/** Addresses signed in their query (docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html). */
export function createS3Presigner(
  address: S3Address,
  credentials: S3Credentials,
): NonNullable<ObjectStore["presign"]> {
  return async (key, { validSec, contentType, contentDisposition }) => {
    const query = {
      "X-Amz-Expires": String(validSec),
      "response-content-type": contentType,
      "response-content-disposition": contentDisposition,
    };
    const signer = new AwsV4Signer({
      ...credentials,
      service: "s3",
      region: address.region,
      method: "GET",
      url: toUrl(address, { key: checkedKey(key), query }),
      signQuery: true,
    });
    const { url } = await signer.sign();
    // Not every server decodes a plus sign to the space that was signed.
    return url.href.replaceAll("+", "%20");
  };
}
