import { systemMetricsStream } from "#contract/system.ts";
import { uploadStream } from "#contract/upload-stream.ts";
import { principalOf, route, type Route } from "#service/http/route.ts";
import type { MetricsStream } from "./metrics-stream.ts";
import type { UploadStream } from "./upload-stream.ts";

export function liveRoutes(streams: { uploads: UploadStream; metrics: MetricsStream }): Route[] {
  return [
    route(uploadStream, ({ query, context }) =>
      streams.uploads.open(principalOf(context), query.live ?? true, context.request),
    ),
    route(systemMetricsStream, ({ context }) =>
      streams.metrics.open(principalOf(context), context.request),
    ),
  ];
}
