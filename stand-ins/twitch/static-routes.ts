import { textAnswer, type Answer } from "./http/answer.ts";
import { answerPicture, pictureRe } from "./media/picture-routes.ts";
import type { World } from "./world.ts";

/** Pictures: avatars are drawn, those of VODs are files. */
export function answerStatic(world: World, url: URL): Answer {
  const avatar = /^\/static\/avatars\/(\w+)-(\d+)x(\d+)\.svg$/.exec(url.pathname);
  if (avatar !== null) {
    const account = world.accounts.byLogin(avatar[1] ?? "");
    return svgAnswer(drawAvatar(account?.displayName ?? "?", avatar[1] ?? ""));
  }
  if (pictureRe.test(url.pathname)) return answerPicture(world, url);
  return textAnswer(404, "text/plain", "no such picture\n");
}

function svgAnswer(svg: string): Answer {
  return textAnswer(200, "image/svg+xml", svg, {
    "cache-control": "public, max-age=3600",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "x-content-type-options": "nosniff",
    // The console loads these from another origin, like Twitch's own pictures.
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
  });
}

function drawAvatar(name: string, login: string): string {
  const hue = hueOf(login);
  const letter = /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? "?";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
<linearGradient id="g" x2="1" y2="1"><stop stop-color="hsl(${hue} 70% 52%)"/><stop offset="1" stop-color="hsl(${hue + 50} 70% 36%)"/></linearGradient>
<rect width="100" height="100" fill="url(#g)"/>
<text x="50" y="50" dy=".36em" text-anchor="middle" font-family="sans-serif" font-size="48" font-weight="700" fill="#fff">${letter}</text>
</svg>`;
}

function hueOf(text: string): number {
  let hue = 7;
  for (let index = 0; index < text.length; index += 1)
    hue = (hue * 31 + text.charCodeAt(index)) % 360;
  return hue;
}
