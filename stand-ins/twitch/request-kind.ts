import { readMediaTarget, segmentIndexOf } from "./media/media-routes.ts";
import type { RequestAbout, RequestKind } from "./http/exchange.ts";
import { readJson } from "./http/request-body.ts";
import { readOperations, vodIdOf } from "./gql/gql-routes.ts";
import { pictureRe } from "./media/picture-routes.ts";
import { masterRe } from "./usher/usher-routes.ts";
import type { World } from "./world.ts";

const kindOfOauthPath: Readonly<Record<string, RequestKind>> = {
  "/oauth2/authorize": "authorize",
  "/oauth2/token": "token",
  "/oauth2/device": "device",
  "/activate": "device",
  "/oauth2/validate": "validate",
  "/oauth2/revoke": "revoke",
};

/** Determines a request's subject from its URL and, for GQL, its body. */
export function readRequestAbout(
  world: World,
  url: URL,
  range: string | null,
  body: Buffer,
): RequestAbout {
  const path = url.pathname;
  if (pictureRe.test(path)) return about("static");
  if (path.startsWith("/media/")) return readMediaAbout(world, url, range);
  if (path.startsWith("/vod/")) return about("master", masterRe.exec(path)?.[2] ?? null);
  if (path.startsWith("/oauth2/") || path === "/activate")
    return about(kindOfOauthPath[path] ?? "unknown");
  if (path.startsWith("/helix/"))
    return about("helix", path === "/helix/videos" ? url.searchParams.get("id") : null);
  if (path === "/gql") {
    const first = readOperations(readJson(body))?.[0];
    return about("gql", first === undefined ? null : vodIdOf(first));
  }
  if (path.startsWith("/static/")) return about("static");
  return about(path.startsWith("/_control/") ? "control" : "unknown");
}

function about(kind: RequestKind, vodId: string | null = null): RequestAbout {
  return { kind, vodId, segmentIndex: null, target: null };
}

function readMediaAbout(world: World, url: URL, range: string | null): RequestAbout {
  const target = readMediaTarget(world, url);
  if (target === null) {
    const kind = url.pathname.endsWith(".m3u8") ? "playlist" : "segment";
    return { kind, vodId: null, segmentIndex: null, target };
  }
  const vodId = target.vod.id;
  const type = target.file.type;
  if (type === "playlist" || type === "init")
    return { kind: type, vodId, segmentIndex: null, target };
  return { kind: "segment", vodId, segmentIndex: segmentIndexOf(target, url, range), target };
}
