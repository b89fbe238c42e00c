import * as auth from "#contract/auth.ts";
import { TestClient } from "#service/testing/test-client.ts";
import { chooseAccount } from "#service/testing/choose-account.ts";

/** Signs in an account of the stand-in at `url`, as a browser does at the service's own address. */
export async function signInAt(
  url: string,
  publicUrl: string,
  accountId: string,
): Promise<TestClient> {
  const client = new TestClient((request) => fetch(request), url, publicUrl);
  const { authUrl } = await client.expect(auth.login);
  const back = await chooseAccount(authUrl, accountId);
  client.token = (await client.expect(auth.callback, auth.callback.path, { body: back })).token;
  return client;
}
