import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { BodyOf, DataOf } from "#contract/call.ts";
import { addChannels } from "#contract/channels.ts";
import { MAX_CHANNELS_ADDED, MAX_SOURCE_ADDRESS_LENGTH } from "#contract/limits.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";

/** Names of one paste: five calls. */
export const MAX_NAMES = 500;

type Result = DataOf<typeof addChannels>["results"][number];

/** What became of a name. */
export type Outcome =
  | Result
  | { readonly name: string; readonly result: "not_sent"; readonly error?: string };

export function hasFailed({ result }: Outcome): boolean {
  return result !== "added" && result !== "already_added";
}

/** A channel's login, whether given as name or address. */
function keyOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^(?:https?:\/\/)?(?:[a-z]+\.)?twitch\.tv\//, "")
    .replace(/^@/, "")
    .replace(/[/?#].*$/, "");
}

/**
 * Names or addresses between lines, commas, semicolons or tabs, perhaps in quotes; each once. Spaces
 * separate nothing, so that the words of a remark do not become channels. `#` begins a comment.
 */
export function namesOf(text: string) {
  const all = text
    .replaceAll(/(?<!\S)#.*/g, "")
    .split(/[\n\r,;\t]/)
    .map((name) => name.replaceAll(/^[\s"'“”‘’]+|[\s"'“”‘’]+$/g, ""))
    .filter((name) => name !== "");
  const names = [...Map.groupBy(all, keyOf).values()].flatMap(([first = ""]) => [first]);
  return { names, repeated: all.length - names.length };
}

type Job = Pick<BodyOf<typeof addChannels>, "confirmation" | "changes"> & {
  readonly names: readonly string[];
};

async function send({ names, ...rest }: Job): Promise<readonly Outcome[]> {
  try {
    return (await call(addChannels, { body: { names: [...names], ...rest } })).results;
  } catch (error) {
    return names.map((name) => ({ name, result: "unanswered", error: messageOf(error) }));
  }
}

/** Adds channels in as many calls as it takes; one that fails does not stop the others. */
export function useAddChannels() {
  const queryClient = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [stop, setStop] = useState<AbortController>();
  const run = useMutation({
    networkMode: "always",
    async mutationFn({ names, ...rest }: Job) {
      const controller = new AbortController();
      setStop(controller);
      const { 0: fit = [], 1: tooLong = [] } = Object.groupBy(names, (name) =>
        name.length <= MAX_SOURCE_ADDRESS_LENGTH ? 0 : 1,
      );
      const error = "This is too long for a name or an address.";
      setOutcomes(tooLong.map((name) => ({ name, result: "invalid", error })));
      for (let from = 0; from < fit.length; from += MAX_CHANNELS_ADDED) {
        const some = fit.slice(from, from + MAX_CHANNELS_ADDED);
        const isSent = !controller.signal.aborted && from < MAX_NAMES;
        const next = isSent
          ? await send({ names: some, ...rest })
          : some.map((name) => ({ name, result: "not_sent" as const }));
        setOutcomes((before) => [...before, ...next]);
      }
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["channels"] }),
  });
  return {
    run,
    outcomes,
    /** The call under way ends; no other is made. */
    stop: () => stop?.abort(),
  };
}
