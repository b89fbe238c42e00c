import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { listVods } from "#contract/channel-vods.ts";
import { getChannel, listChannels, readChannelDefaults, type Channel } from "#contract/channels.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { AMOUNT, VODS } from "./sample-vods.ts";
import type { scriptService } from "./scripted-service.ts";

/** Answers what is asked about these channels. */
export function answerChannels(
  { answer }: ReturnType<typeof scriptService>,
  channels: readonly Channel[] = [],
): void {
  answer(listChannels, ({ url }) => {
    const isFiltered = /[?&](?:search|state)=/.test(url);
    const lost = channels.reduce((sum, { vods }) => sum + vods.lost, 0);
    return {
      ...buildPage(isFiltered ? channels.slice(0, 1) : channels),
      summary: {
        channels: channels.length,
        live: channels.filter(({ live }) => live !== null).length,
        inDanger: channels.filter(({ dangerAt }) => dangerAt !== null).length,
        lost,
        rare: lost,
      },
    };
  });
  answer(getChannel, () => channels[0] ?? new Response(null, { status: 404 }));
  answer(listVods, () => ({ ...buildPage(VODS), notArchived: AMOUNT, removedAtOnce: 0 }));
  answer(readChannelDefaults, () => ({ rule: BUILT_IN_RULE }));
}
