import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { BodyOf } from "#contract/call.ts";
import type { ViewId } from "#contract/ids.ts";
import { deleteView, listViews, saveView, type SavedView } from "#contract/views.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

/**
 * All views of this administrator, for every screen: they are few, and nobody else changes them.
 */
export function viewsQuery() {
  return callQuery(listViews);
}

/** Path of a view in the console. */
export function addressOfView({ screen, search }: Pick<SavedView, "screen" | "search">): string {
  return search === "" ? screen : `${screen}?${search}`;
}

export function useViewActions() {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: keyOf(listViews) });
  const save = useMutation({
    mutationFn: (body: BodyOf<typeof saveView>) => call(saveView, { body }),
    onSuccess: ({ name }) => toast.success(`View saved: ${name}`),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: (id: ViewId) => call(deleteView, { params: { id } }),
    onSuccess: () => toast.success("View deleted"),
    onError: (error) => toastError(messageOf(error, "Failed to delete view")),
    onSettled: refresh,
  });
  return { save, remove };
}
