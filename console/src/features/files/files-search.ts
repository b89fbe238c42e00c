import * as z from "zod/mini";
import { fileStatusSchema, objectKeySchema, uploadTypeSchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { siteStore } from "#console/lib/browser-storage.ts";
import { LIST_PARAMS, searchReader } from "#console/lib/search-params.ts";

export const readFilesSearch = searchReader({
  page: LIST_PARAMS.page,
  search: LIST_PARAMS.search,
  user: userIdSchema,
  type: uploadTypeSchema,
  status: fileStatusSchema,
  chat: z.literal("missing"),
  trash: z.literal("only"),
  source: z.literal("changed"),
  /** In which broadcasts began, in the browser's time zone, e.g. `2026-11`. */
  month: z.string().check(z.regex(/^20\d\d-(?:0[1-9]|1[0-2])$/)),
  /** The date if it is absent. */
  sort: z.enum(["name", "size", "user", "recorded", "length"]),
  order: LIST_PARAMS.order,
  /** As it was last chosen if it is absent. */
  layout: z.enum(["list", "gallery"]),
  /** The statistics are shown if it is absent. */
  stats: z.literal("hidden"),
  /** The dialog that makes room is open. */
  room: z.literal("make"),
  /** Key of the file whose details are open. */
  file: objectKeySchema,
});

export type FilesSearch = ReturnType<typeof readFilesSearch>;

const LAYOUT_KEY = "files_layout";

/** The one in the address, or the one that was last chosen in this browser; pictures at first. */
export function layoutOf({ layout }: FilesSearch): "list" | "gallery" {
  return layout ?? (siteStore.getItem(LAYOUT_KEY) === "list" ? "list" : "gallery");
}

export function rememberLayout(layout: "list" | "gallery"): void {
  siteStore.setItem(LAYOUT_KEY, layout);
}

/** Changing one of these leads to page 1. */
export const FILE_FILTERS = [
  "search",
  "user",
  "type",
  "status",
  "chat",
  "trash",
  "source",
  "month",
] as const;

/** The filters as the service's calls name them. */
export function matchingOf(filters: FilesSearch) {
  const { search, user, type, status, chat, trash, source, month } = filters;
  const isOfAll = [search, type, status, chat, trash, source, month].every(
    (filter) => filter === undefined,
  );
  return {
    search,
    userId: user,
    uploadType: type,
    status,
    chat,
    trash,
    source,
    // One line stands for them, so that they do not stand above the files.
    chunks: isOfAll ? ("hidden" as const) : undefined,
    ...(month !== undefined && spanOf(month)),
  };
}

function spanOf(month: string) {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return {
    recordedFrom: new Date(year, number - 1).toISOString(),
    recordedUntil: new Date(year, number).toISOString(),
  };
}
