import type { TwitchUserId } from "#contract/ids.ts";

export type TwitchUser = {
  readonly id: TwitchUserId;
  readonly login: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly profileImageUrl: string | null;
};
