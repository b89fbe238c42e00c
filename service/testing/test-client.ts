import * as auth from "#contract/auth.ts";
import type { AnyCall } from "#contract/call.ts";
import * as z from "zod/mini";

/** Serves a request like a host. */
export type Serve = (request: Request) => Promise<Response>;

export type TestAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** The answer's `data`; undefined for a refusal. */
  readonly data: unknown;
  /** The answer's `error`; undefined for a success. */
  readonly error:
    | { code: string; message: string; details?: Record<string, string> | undefined }
    | undefined;
  readonly text: string;
};

export type TestRequest = {
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly rawBody?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
};

const envelopeSchema = z.object({
  data: z.optional(z.unknown()),
  error: z.optional(
    z.object({
      code: z.string(),
      message: z.string(),
      details: z.optional(z.record(z.string(), z.string())),
    }),
  ),
});

/** A browser, or a script with a token: stores cookies and the bearer like a console. */
export class TestClient {
  readonly cookies = new Map<string, string>();
  token: string | null = null;
  private readonly serve: Serve;
  private readonly origin: string;
  private readonly apiUrl: string;

  constructor(serve: Serve, apiUrl: string, origin: string) {
    this.serve = serve;
    this.apiUrl = apiUrl;
    this.origin = origin;
  }

  /** The same session with only its bearer. */
  bearerOnly(): TestClient {
    const other = new TestClient(this.serve, this.apiUrl, this.origin);
    other.token = this.token;
    return other;
  }

  /** The same session with only its cookie. */
  cookieOnly(): TestClient {
    const other = new TestClient(this.serve, this.apiUrl, this.origin);
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    return other;
  }

  async send(method: string, path: string, request: TestRequest = {}): Promise<Response> {
    const headers = new Headers({ origin: this.origin });
    if (this.token !== null) headers.set("authorization", `Bearer ${this.token}`);
    if (this.cookies.size > 0)
      headers.set(
        "cookie",
        [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      );
    const body =
      request.rawBody ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    if (body !== undefined) headers.set("content-type", "application/json");
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      if (value === "") headers.delete(name);
      else headers.set(name, value);
    }
    const response = await this.serve(
      new Request(new URL(path, this.apiUrl), {
        method,
        headers,
        // A streamed body requires half duplex (fetch standard).
        ...(body === undefined ? {} : { body, duplex: "half" }),
      }),
    );
    for (const cookie of response.headers.getSetCookie()) this.remember(cookie);
    return response;
  }

  async call(method: string, path: string, request: TestRequest = {}): Promise<TestAnswer> {
    const response = await this.send(method, path, request);
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json" && text !== "";
    const { data, error } = isJson
      ? envelopeSchema.parse(JSON.parse(text))
      : { data: undefined, error: undefined };
    return { status: response.status, headers: response.headers, data, error, text };
  }

  /** The data of a call that must succeed, parsed with the call's own schema. */
  async expect<Data extends z.core.$ZodType>(
    call: AnyCall & { readonly data: Data },
    path: string = call.path,
    request: TestRequest = {},
  ): Promise<z.output<Data>> {
    const answer = await this.call(call.method, path, request);
    if (answer.error !== undefined || answer.status >= 300)
      throw new Error(`${call.method} ${path} answered ${answer.status}: ${answer.text}`);
    return z.parse(call.data, answer.data);
  }

  /** Signs in with an account of the Twitch stand-in, as a browser does. */
  async signIn(accountId: string): Promise<z.infer<typeof auth.callback.data>> {
    const body = await this.redirectOf(accountId);
    const grant = await this.expect(auth.callback, auth.callback.path, { body });
    this.token = grant.token;
    return grant;
  }

  /** What Twitch sends this browser back with when the account signs in. */
  async redirectOf(accountId: string) {
    const { authUrl } = await this.expect(auth.login);
    return await chooseAccount(authUrl, accountId);
  }

  private remember(setCookie: string): void {
    const [pair = ""] = setCookie.split(";");
    const separator = pair.indexOf("=");
    const name = pair.slice(0, separator);
    if (/;\s*max-age=0/i.test(setCookie)) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(separator + 1));
  }
}

/** Chooses an account on the stand-in's page and returns the parameters of the redirect. */
export async function chooseAccount(
  authUrl: string,
  accountId: string,
): Promise<{ code: string; state: string }> {
  const { origin, pathname, searchParams } = new URL(authUrl);
  const form = new URLSearchParams(searchParams);
  form.set("account", accountId);
  const response = await fetch(`${origin}${pathname}`, {
    method: "POST",
    body: form,
    redirect: "manual",
  });
  const location = new URL(response.headers.get("location") ?? "about:blank");
  const code = location.searchParams.get("code");
  const state = location.searchParams.get("state");
  if (code === null || state === null)
    throw new Error(`Twitch's stand-in answered ${response.status} ${location.href}`);
  return { code, state };
}
