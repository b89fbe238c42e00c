import { describe, expect, it } from "vitest";
import { readSettings, SETTING_NAMES, SettingsError, settingsWarnings } from "./settings.ts";

const refusalOf = (environment: Record<string, string>): string => {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "accepted";
};

describe("the settings", () => {
  it("have defaults when nothing is set", () => {
    expect(readSettings({})).toMatchObject({
      HOST: "127.0.0.1",
      PORT: 8787,
      DATA_DIR: "./data",
      PUBLIC_URL: "http://localhost:8787",
      CONSOLE_URL: ["http://localhost:8787"],
      ENVIRONMENT: "preview",
      MAX_RETRIES: 3,
      STALL_AFTER_MS: 600_000,
      ARCHIVE_CONCURRENCY: 2,
      STORAGE_CAPACITY_GB: 1_000,
      MONTHLY_BUDGET_USD: 50,
      RATE_LIMIT_FACTOR: 1,
      ADMIN_TWITCH_IDS: [],
    });
  });

  it("treat an empty value as missing, and ignore other variables", () => {
    expect(readSettings({ PORT: "", HOST: "", PATH: "/usr/bin" })).toMatchObject({
      PORT: 8787,
      HOST: "127.0.0.1",
    });
    expect(readSettings({ PATH: "/usr/bin" })).not.toHaveProperty("PATH");
  });

  it("derive the service's own address from the port", () => {
    expect(readSettings({ PORT: "9000" })).toMatchObject({
      PUBLIC_URL: "http://localhost:9000",
      CONSOLE_URL: ["http://localhost:9000"],
    });
  });

  it("normalize URLs and split lists", () => {
    expect(
      readSettings({
        PUBLIC_URL: "https://API.example.org/some/path/?query",
        CONSOLE_URL: "https://console.example.org/archive/, https://other.example.org:8443 ,",
        TWITCH_API_URL: "http://127.0.0.1:5000/helix//",
        TWITCH_MEDIA_HOSTS: "*.cloudfront.net, 127.0.0.1:5000",
        ADMIN_TWITCH_IDS: "1001, 1002,",
      }),
    ).toMatchObject({
      PUBLIC_URL: "https://api.example.org/some/path",
      CONSOLE_URL: ["https://console.example.org/archive", "https://other.example.org:8443"],
      TWITCH_API_URL: "http://127.0.0.1:5000/helix",
      TWITCH_MEDIA_HOSTS: ["*.cloudfront.net", "127.0.0.1:5000"],
      ADMIN_TWITCH_IDS: ["1001", "1002"],
    });
  });

  it.each([
    ['"/data"', /is in quotes/],
    ["/data\r", /ends with a line end/],
    ["/data\n/x", /has more than one line/],
    ["~/vodkeep", /begins with ~/],
    ["vodkeep", /must be a whole path/],
    ["./data", /^accepted$/],
    ["/srv/a b", /^accepted$/],
  ])("refuse DATA_DIR=%j in one sentence", (value, said) => {
    expect(refusalOf({ DATA_DIR: value })).toMatch(said);
    expect(refusalOf({ DATA_DIR: value })).toMatch(/^(?:DATA_DIR [^.]+\.|accepted)$/);
  });

  it("refuse quotes and line ends around every value, and do not repeat it", () => {
    for (const name of SETTING_NAMES)
      for (const value of [`"hush-${name}"`, `'hush'`, "hush\r"])
        expect(refusalOf({ [name]: value })).toMatch(
          new RegExp(`^${name} (?:is in quotes|ends with)(?!.*hush)`),
        );
    expect(refusalOf({ SMTP_URL: "smtp://a", MAIL_FROM: '"Vod" <v@a.example>' })).toBe("accepted");
  });

  it.each([
    ["PORT", "http"],
    ["PORT", "-1"],
    ["PORT", "65536"],
    ["PORT", "80.5"],
    ["PUBLIC_URL", "localhost:8787"],
    ["PUBLIC_URL", "ftp://example.org"],
    ["PUBLIC_URL", "https://user:password@example.org"],
    ["PUBLIC_URL", "https://example.org/a%20b"],
    ["PUBLIC_URL", "https://example.org/a//b"],
    ["PUBLIC_URL", "https://example.org/admin"],
    ["CONSOLE_URL", "https://a.example.org,nonsense"],
    ["CONSOLE_URL", "https://a.example.org/media/console"],
    ["ENVIRONMENT", "two words"],
    ["TWITCH_ID_URL", "id.twitch.tv"],
    ["TWITCH_API_URL", "javascript:alert(1)"],
    ["TWITCH_GQL_URL", "//gql"],
    ["TWITCH_USHER_URL", "usher"],
    ["TWITCH_ID_URL", "http://id.example.org"],
    ["STALL_AFTER_MS", "999"],
    ["TWITCH_MEDIA_HOSTS", "https://example.org/path"],
    ["TWITCH_MEDIA_HOSTS", "*"],
    ["TWITCH_MEDIA_HOSTS", "*.com"],
    ["TWITCH_MEDIA_HOSTS", "media.example.org,*.com:8443"],
    ["TWITCH_MEDIA_HOSTS", "cdn.*.example.org"],
    ["ADMIN_TWITCH_IDS", "somebody"],
    ["ADMIN_TWITCH_IDS", "1001,0"],
    ["MAX_RETRIES", "many"],
    ["MAX_RETRIES", "101"],
    ["ARCHIVE_CONCURRENCY", "0"],
    ["STORAGE_CAPACITY_GB", "0"],
    ["STORAGE_CAPACITY_GB", "1e3"],
    ["MONTHLY_BUDGET_USD", "-5"],
    ["TELEGRAM_API_URL", "api.telegram.org"],
    ["RATE_LIMIT_FACTOR", "0"],
    ["MAIL_FROM", "nobody"],
    ["SECRET_KEY", "4f1c9a7be20d835"],
    ["SECRET_KEY", "a".repeat(64)],
    ["SECRET_KEY", "abcdeabcdeabcdea"],
    ["SECRET_KEY", "abcdefghijkl".repeat(3)],
  ])("reject %s=%s with one sentence that names the variable", (name, value) => {
    const sentence = refusalOf({ [name]: value });
    expect(sentence).toMatch(new RegExp(`^${name} [^\\n]+\\.$`));
    expect(sentence).not.toContain("Invalid input");
  });

  it.each([
    "mail.example.org",
    "smtp://",
    "smtp://mail.example.org:port",
    "https://mail.example.org",
  ])("reject the SMTP_URL %s", (address) => {
    const sentence = refusalOf({ SMTP_URL: address, MAIL_FROM: "a@example.org" });
    expect(sentence).toMatch(/^SMTP_URL [^\n]+\.$/);
  });

  it.each([
    ["TWITCH_CLIENT_ID", "TWITCH_CLIENT_SECRET"],
    ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"],
    ["SMTP_URL", "MAIL_FROM"],
  ])("require %s and %s together", (first, second) => {
    const isMail = first === "SMTP_URL";
    const value = isMail ? "smtp://localhost" : "something";
    const other = isMail ? "a@example.org" : "something";
    expect(refusalOf({ [first]: value })).toBe(`${second} must be set with ${first}.`);
    expect(refusalOf({ [second]: other })).toBe(`${first} must be set with ${second}.`);
  });

  it.each([
    ["https://vodkeep.example.org", 0],
    ["http://localhost:8787", 0],
    ["http://127.0.0.1:8787", 0],
    ["http://[::1]:8787", 0],
    ["http://vodkeep.lan", 1],
    ["http://127.0.0.1.example.org", 1],
  ])("with PUBLIC_URL %s produce %i warnings", (PUBLIC_URL, count) => {
    const warnings = settingsWarnings(readSettings({ PUBLIC_URL }));
    expect(warnings).toHaveLength(count);
    for (const warning of warnings) expect(warning).toMatch(/^PUBLIC_URL http:/);
  });

  it.each([
    ["4f1c9a7be20d8356", 1],
    ["4f1c9a7be20d83564f1c9a7be20d835", 1],
    ["b7e1f09c5a3d48267c10e9f4b2a86d35", 0],
  ])("with SECRET_KEY %s produce %i warnings", (SECRET_KEY, count) => {
    const warnings = settingsWarnings(readSettings({ SECRET_KEY }));
    expect(warnings).toHaveLength(count);
    expect(warnings.join()).not.toContain(SECRET_KEY);
  });

  it.each([
    [{}, 0],
    [{ TWITCH_CLIENT_ID: "id", TWITCH_CLIENT_SECRET: "secret" }, 1],
    [{ TWITCH_CLIENT_ID: "id", TWITCH_CLIENT_SECRET: "secret", ADMIN_TWITCH_IDS: "1001" }, 0],
  ])("warn without an administrator of the real Twitch: %j", (environment, count) => {
    const warnings = settingsWarnings(readSettings(environment));
    expect(warnings.filter((each) => each.startsWith("ADMIN_TWITCH_IDS"))).toHaveLength(count);
    expect(settingsWarnings(readSettings(environment), true)).toEqual([]);
  });

  it("never include a secret in an error message", () => {
    expect(refusalOf({ SECRET_KEY: "p4ssw0rd" })).not.toContain("p4ssw0rd");
    expect(refusalOf({ PUBLIC_URL: "https://me:hunter2@example.org" })).not.toContain("hunter2");
  });
});
