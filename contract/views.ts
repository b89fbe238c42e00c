import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { viewIdSchema } from "./ids.ts";
import { MAX_VIEW_NAME_LENGTH, MAX_VIEW_SEARCH_LENGTH } from "./limits.ts";

/** The list screens, by their paths in the console. */
export const VIEW_SCREENS = [
  "/uploads",
  "/uploads/failed",
  "/files",
  "/users",
  "/audit",
  "/channels",
] as const;
export const viewScreenSchema = z.enum(VIEW_SCREENS);
export type ViewScreen = z.infer<typeof viewScreenSchema>;

/** A saved view: the filters and order of a list under a name. */
export const savedViewSchema = z.object({
  id: viewIdSchema,
  screen: viewScreenSchema,
  name: z.string(),
  /** The query of the screen's URL, without the `?`. */
  search: z.string(),
});
export type SavedView = z.infer<typeof savedViewSchema>;

export const listViews = defineCall({
  method: "GET",
  path: "/admin/views",
  policy: "admin",
  refusesTokens: true,
  summary: "My saved views, by name",
  data: z.object({ views: z.array(savedViewSchema) }),
});

export const saveView = defineCall({
  method: "PUT",
  path: "/admin/views",
  policy: "admin",
  refusesTokens: true,
  summary: "Save a view of mine; one of the same screen and name is replaced",
  body: z.strictObject({
    screen: viewScreenSchema,
    name: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_VIEW_NAME_LENGTH)),
    search: z.string().check(z.maxLength(MAX_VIEW_SEARCH_LENGTH)),
  }),
  data: savedViewSchema,
});

export const deleteView = defineCall({
  method: "DELETE",
  path: "/admin/views/{id}",
  policy: "admin",
  refusesTokens: true,
  summary: "Delete a saved view of mine",
  params: z.strictObject({ id: viewIdSchema }),
  data: z.object({ id: viewIdSchema }),
});
