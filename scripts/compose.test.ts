import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

/** The settings of the one service, as they are written. */
const settings = new Map(
  [...read("compose.yaml").matchAll(/^ {4}(\w+): (.+)$/gm)].map(([, name, value]) => [name, value]),
);

test("the container may change nothing but its volumes, and use its share of the machine", () => {
  expect(Object.fromEntries(settings)).toMatchObject({
    read_only: "true",
    tmpfs: "[/tmp]",
    cap_drop: "[ALL]",
    security_opt: '["no-new-privileges:true"]',
    user: '"${PUID:-1000}:${PGID:-1000}"',
    restart: "unless-stopped",
    mem_limit: expect.stringMatching(/^[12]g$/),
    pids_limit: expect.stringMatching(/^\d{3}$/),
  });
  const [, ports] = /"\$\{LISTEN:-([\d.]+)\}/.exec(settings.get("ports") ?? "") ?? [];
  expect(ports).toBe("127.0.0.1");
  const written = [...read("Dockerfile").matchAll(/^VOLUME (.+)$/gm)].map(([, paths]) => paths);
  const volumes = [...(settings.get("volumes") ?? "").matchAll(/\w+:(\/\w+)/g)];
  expect(volumes.map(([, path]) => path).join(" ")).toBe(written.join(" "));
});

test("both stages of the image have the same base, pinned by its digest", () => {
  const bases = [...read("Dockerfile").matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(bases).toHaveLength(2);
  expect(new Set(bases).size).toBe(1);
  expect(bases[0]).toMatch(/^node:24-bookworm-slim@sha256:[\da-f]{64}$/);
});

test("the container's engine waits longer for the end than the service takes", () => {
  const [, drainMs = ""] = /DRAIN_MS = ([\d_]+);/.exec(read("hosts/node/main.ts")) ?? [];
  const [, graceSec] = /^(\d+)s$/.exec(settings.get("stop_grace_period") ?? "") ?? [];
  const [, unitSec] = /^TimeoutStopSec=(\d+)$/m.exec(read("deploy/vodkeep.service")) ?? [];
  const takesMs = Number(drainMs.replaceAll("_", ""));
  expect(takesMs).toBeGreaterThan(1_000);
  for (const seconds of [graceSec, unitSec])
    expect(Number(seconds) * 1_000).toBeGreaterThanOrEqual(2 * takesMs);
});
