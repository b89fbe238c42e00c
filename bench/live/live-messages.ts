import { PERMISSIONS } from "#contract/permissions.ts";
import * as z from "zod/mini";

/** What the bench, its host process and its readers' process say to each other. */

/** The session that all readers use. */
export const LIVE_TOKEN = "c".repeat(64);
export const LIVE_COOKIE = "d".repeat(64);

/** Who the session belongs to, as a browser keeps it beside its token. */
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
  /** So many uploads take turns. */
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
  /** Cuts so many connections a second; each comes back with the id it saw last. */
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
    /** Of live events; a replay after a cut is as late as the cut was long. */
    p50Ms: z.number(),
    p90Ms: z.number(),
    p99Ms: z.number(),
    maxMs: z.number(),
    cpuMs: z.number(),
  }),
]);
export type ReadersReport = z.infer<typeof readersReportSchema>;
