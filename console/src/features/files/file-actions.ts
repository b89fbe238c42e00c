import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deleteFile, objectKeySchema } from "#contract/files.ts";
import { call } from "#console/lib/api-client.ts";
import { formatBytes } from "#console/lib/format.ts";
import { toast } from "#console/ui/toast-store.ts";
import { FILES_KEY } from "./file-queries.ts";

export function useDeleteFile() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (key: string) => call(deleteFile, { params: { key: objectKeySchema.parse(key) } }),
    onSuccess: ({ size }) => toast.success(`File deleted: ${formatBytes(size)} freed`),
    onError: () => toast.error("Failed to delete file"),
    onSettled: () => queryClient.invalidateQueries({ queryKey: FILES_KEY }),
  });
}
