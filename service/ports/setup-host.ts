/** A Twitch application, as registered at dev.twitch.tv/console. */
export type TwitchCredentials = { readonly clientId: string; readonly clientSecret: string };

/** What the first setup needs of a host whose terminal and data folder are its operator's. */
export type SetupHost = {
  /** Only who sees the terminal, or reads the data folder, knows it. New at each start. */
  readonly code: string;
  /** Where the credentials in use come from; with `none`, a stand-in may play Twitch. */
  readonly credentials: "none" | "stored" | "environment";
  /** Twitch's sign-in, where new credentials are checked, whatever is in use now. */
  readonly twitchIdUrl: string;
  /** Stores them durably, then restarts the service with them. Safe to repeat. */
  storeCredentials(credentials: TwitchCredentials): Promise<void>;
  /** Forgets the code: there is an administrator now. */
  close(): void;
};
