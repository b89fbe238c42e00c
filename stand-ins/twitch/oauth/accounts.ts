/** A Twitch account of the stand-in; anyone can sign in with it. */
export type Account = {
  readonly id: string;
  readonly login: string;
  readonly displayName: string;
  readonly email: string | null;
  /** The account's purpose, shown on the sign-in page. */
  readonly description: string;
  /** Helix's word for the kind of broadcaster; absent: neither. */
  readonly broadcasterType?: "affiliate" | "partner";
  /** The age at which past broadcasts are deleted; null or absent: never. */
  readonly keepsDays?: number | null;
};

export type NewAccount = Partial<Account>;

export type AccountTable = ReturnType<typeof createAccountTable>;

const builtInAccounts: readonly Account[] = [
  builtIn("1001", "avery_admin", "Avery Admin", "Administrator with all permissions"),
  builtIn("1002", "mo_moderator", "Mo Moderator", "Meant for some of the permissions"),
  builtIn("1003", "nina_nobody", "Nina Nobody", "No permissions: sees the refusal"),
  builtIn("1004", "bram_banned", "Bram Banned", "Meant to be banned"),
  {
    ...builtIn("1005", "pixelpilot", "PixelPilot", "Streamer of the demonstration VODs"),
    broadcasterType: "affiliate",
  },
  builtIn(
    "1006",
    "hostile_hana",
    "<img src=x onerror=alert(1)> \u202Egnp.anaH",
    "Display name with markup and a text direction override",
  ),
  builtIn("1008", "scenario_sam", "ScenarioSam", "Streamer of the VODs that go wrong"),
  {
    ...builtIn("1009", "kettle_and_keys", "Kettle & Kéys", "Streamer of music VODs"),
    broadcasterType: "partner",
  },
  {
    ...builtIn("1010", "dockside_dana", "Dockside Dana", "Streamer who is often live"),
    keepsDays: 7,
  },
];

function builtIn(id: string, login: string, displayName: string, description: string): Account {
  const email = `${login}@example.test`;
  return { id, login, displayName, email, description };
}

/** The first id of accounts added later, far from the built-in ones. */
const FIRST_ADDED_ID = 5_001;

export function createAccountTable() {
  const accounts = new Map(builtInAccounts.map((account) => [account.id, account]));
  let nextId = FIRST_ADDED_ID;
  return {
    get: (id: string) => accounts.get(id) ?? null,
    byLogin: (login: string) =>
      [...accounts.values()].find((account) => account.login === login.toLowerCase()) ?? null,
    all: () => [...accounts.values()],
    add(given: NewAccount): Account {
      while (accounts.has(String(nextId))) nextId += 1;
      const id = given.id ?? String(nextId);
      const login = given.login ?? `user_${id}`;
      const account: Account = {
        id,
        login,
        displayName: login,
        email: `${login}@example.test`,
        description: "Added by a test",
        ...given,
      };
      accounts.set(id, account);
      return account;
    },
  };
}
