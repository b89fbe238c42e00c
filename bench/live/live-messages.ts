import { PERMISSIONS } from "#contract/permissions.ts";
import * as z from "zod/mini";

/** Messages between the bench, its host process and its readers' process. */

/** The token of the session that all readers share. */
export const LIVE_TOKEN = "c".repeat(64);
export const LIVE_COOKIE = "d".repeat(64);

/** The session's user, as a browser stores it beside the token. */
export const LIVE_ADMIN = {
  id: "1",
  twitchId: "1",
  login: "bench",
  displayName: "Bench",
  profileImageUrl: null,
  isAdmin: true,
  permissions: PERMISSIONS,
};

const publicationSchema = z.object({
  kind: z.literal("publish"),
  perSecond: z.number(),
  seconds: z.number(),
  /** Number of uploads that change in turn. */
  uploads: z.number(),
});
export type Publication = z.infer<typeof publicationSchema>;

export const hostOrderSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("measure") }),
  publicationSchema,
]);
export type HostOrder = z.infer<typeof hostOrderSchema>;

export const hostReportSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready"), port: z.number() }),
  z.object({ kind: z.literal("published"), events: z.number() }),
  z.object({
    kind: z.literal("measured"),
    atMs: z.number(),
    cpuMs: z.number(),
    rssMb: z.number(),
    heapMb: z.number(),
  }),
]);
export type HostReport = z.infer<typeof hostReportSchema>;

export const readersOrderSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open"), port: z.number(), readers: z.number() }),
  /** Cuts this many connections a second; each reconnects with the last id it saw. */
  z.object({ kind: z.literal("cut"), perSecond: z.number() }),
  z.object({ kind: z.literal("report"), events: z.number() }),
]);
export type ReadersOrder = z.infer<typeof readersOrderSchema>;

export const readersReportSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open") }),
  z.object({
    kind: z.literal("result"),
    delivered: z.number(),
    lost: z.number(),
    doubled: z.number(),
    reconnects: z.number(),
    eventBytes: z.number(),
    /** For live events only; a replayed event is as late as the cut was long. */
    p50Ms: z.number(),
    p90Ms: z.number(),
    p99Ms: z.number(),
    maxMs: z.number(),
    cpuMs: z.number(),
  }),
]);
export type ReadersReport = z.infer<typeof readersReportSchema>;
