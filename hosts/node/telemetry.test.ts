import { expect, test, vi } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { getUpload } from "#contract/uploads.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { openContext } from "#service/open-context.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { createTusUpload, sendTusBytes } from "#service/testing/tus-requests.ts";
import { createTelemetry } from "./telemetry.ts";

const TOKEN = "a-token-for-prometheus";

test("requests, stored bytes, ended uploads and store failures are counted", async () => {
  const vodkeep = await startTestService({
    starts: true,
    settings: { METRICS_TOKEN: TOKEN },
  });
  const admin = await vodkeep.signIn(ADMIN);
  const created = await createTusUpload(admin, {
    "upload-length": "1000",
    "upload-metadata": `filename ${btoa("a.mp4")}`,
  });
  const path = new URL(created.headers.get("location") ?? "", "http://localhost").pathname;
  await sendTusBytes(admin, path, 0, new Uint8Array(1_000));
  const uploadPath = `/admin/uploads/${path.split("/").at(-1)}`;
  await vi.waitFor(
    async () =>
      expect(await admin.expect(getUpload, uploadPath)).toMatchObject({ status: "completed" }),
    180_000,
  );

  const answer = await vodkeep
    .visitor()
    .call("GET", "/metrics", { headers: { authorization: `Bearer ${TOKEN}` } });
  const valueOf = (sample: string) =>
    Number(
      answer.text
        .split("\n")
        .find((line) => line.startsWith(`${sample} `))
        ?.split(" ")[1],
    );
  expect(valueOf('vodkeep_uploads_ended_total{source="manual",outcome="completed"}')).toBe(1);
  expect(valueOf("vodkeep_stored_bytes_total")).toBeGreaterThanOrEqual(1_000);
  expect(
    valueOf(
      'vodkeep_http_request_duration_seconds_count{method="GET",route="/admin/uploads/{id}",status="200"}',
    ),
  ).toBeGreaterThanOrEqual(1);
  expect(
    valueOf('vodkeep_build_info{version="1.0.0",commit="",node="' + process.version + '"}'),
  ).toBe(1);
  expect(valueOf("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  // A counter that begins at 1 hides its first event from increase().
  expect(valueOf('vodkeep_uploads_ended_total{source="twitch",outcome="failed"}')).toBe(0);
  expect(valueOf('vodkeep_store_errors_total{operation="put",kind="unavailable"}')).toBe(0);
  expect(valueOf('vodkeep_upstream_requests_total{upstream="api",status="2xx"}')).toBeGreaterThan(
    0,
  );
  expect(valueOf('vodkeep_upstream_requests_total{upstream="media",status="5xx"}')).toBe(0);
  expect(valueOf("vodkeep_sessions")).toBe(1);
  const telemetry = createTelemetry("1.0.0", "0123456789ab");
  const denied = new StoreError("denied", "Access denied.");
  const objects = { ...vodkeep.platform.objects, head: () => Promise.reject(denied) };
  const { context } = openContext({ ...vodkeep.platform, objects, telemetry }, vodkeep.settings);
  await expect(context.platform.objects.head(objectKeySchema.parse("vods/1"))).rejects.toBe(denied);
  expect(
    telemetry.read().find(({ name }) => name === "vodkeep_store_errors_total")?.samples,
  ).toContainEqual(['operation="head",kind="denied"', 1]);
  for (const durationMs of [3, 30, 20_000])
    telemetry.requestServed({ method: "GET", route: null, status: 404, durationMs });
  const labels = 'method="GET",route="other",status="404"';
  const requests = telemetry.read().find(({ type }) => type === "histogram")?.samples;
  expect(requests).toContainEqual([`${labels},le="0.025"`, 1, "_bucket"]);
  expect(requests).toContainEqual([`${labels},le="10"`, 2, "_bucket"]);
  expect(requests).toContainEqual([`${labels},le="+Inf"`, 3, "_bucket"]);
  expect(requests).toContainEqual([labels, 20.033, "_sum"]);
  await vodkeep.close();
});
