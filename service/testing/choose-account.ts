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
