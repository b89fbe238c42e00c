import { useQuery } from "@tanstack/react-query";
import { loadScript } from "#console/lib/load-script.ts";
import { watchKeys } from "#console/lib/query-keys.ts";

/** The chat replay at an address of a stored file, as long as there is one; read when wanted. */
export function useChatLog(url: string | undefined, wanted: boolean) {
  return useQuery({
    // The name in the address is made of ids; the grant before it is new each time.
    queryKey: watchKeys.chat(url?.slice(url.lastIndexOf("/"))),
    queryFn: async ({ signal }) => {
      if (url === undefined) throw new TypeError("There is no chat without an address");
      const { readChatLog } = await loadScript(async () => import("./read-chat-log.ts"));
      return readChatLog(url, signal);
    },
    enabled: wanted && url !== undefined,
    staleTime: Infinity,
    // A busy chat has hundreds of thousands of messages.
    gcTime: 0,
    structuralSharing: false,
  });
}
