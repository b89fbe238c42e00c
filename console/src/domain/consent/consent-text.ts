type Section = { readonly heading: string; readonly sentences: readonly string[] };

/**
 * What a channel's owner agrees to. A change of what it says needs a new CONSENT_TEXT_VERSION, and a
 * new digest in the test: each recorded consent names the version that was shown.
 */
export function consentText({
  host,
  invitedBy,
  ownPage,
}: {
  /** The service's address without its path. */
  readonly host: string;
  /** Null where the owner, an administrator, agrees without a link. */
  readonly invitedBy: string | null;
  /** The address where consent can be withdrawn without a link. */
  readonly ownPage: string;
}): readonly Section[] {
  return [
    {
      heading: "Who asks",
      sentences: [
        `The service at ${host} copies Twitch videos into the storage of the people who run it.`,
        invitedBy === null
          ? "You are signed in to it as the owner of this channel."
          : `${invitedBy}, one of its administrators, created this link.`,
      ],
    },
    {
      heading: "What is copied",
      sentences: [
        "The videos of your past broadcasts that its administrators choose, with their sound, titles, chapters and preview pictures.",
        "The chat of these broadcasts, with the names and messages of your viewers.",
        "When you sign in, the service also keeps your Twitch name, your picture and, if Twitch tells it, your e-mail address.",
      ],
    },
    {
      heading: "Who sees it",
      sentences: [
        `The administrators of ${host} can watch, download and delete the copies. Media servers of their own, such as Jellyfin or Kodi, may play the videos. The service shows them to nobody else.`,
      ],
    },
    {
      heading: "How long, and how to withdraw",
      sentences: [
        "Copies are kept until an administrator deletes them.",
        `You can withdraw at any time${invitedBy === null ? "" : ", on this page or"} at ${ownPage}. From then on nothing new is copied on your consent, and copies that are being made stop.`,
        `Withdrawing deletes nothing: to have copies deleted, ask ${invitedBy === null ? "an" : `${invitedBy} or another`} administrator.`,
        "Without your consent, an administrator can still copy a video by confirming that they hold the rights to it, and the service records who did.",
      ],
    },
  ];
}
