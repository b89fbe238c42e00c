import { FIRST_SEEDED_VOD_ID } from "../../scripts/seed-rows.ts";

/** A call that the bench measures: a readable name and the call's path. */
type NamedCall = readonly [name: string, path: string];

const uploads = (query: string) => `/admin/uploads?${query}`;
const files = (query: string) => `/admin/r2/browse?${query}`;
const users = (query: string) => `/admin/users?${query}`;
const channels = (query: string) => `/admin/channels?${query}`;
const vods = (query: string) => `/admin/channels/9000000007/vods?${query}`;

const DEEP_PAGE = 5_000;

/**
 * Calls of the screens: first pages, filters, sort orders, rare, common and short searches, and
 * page 5,000, or the middle of shorter lists.
 */
export function plainCalls(size: number): readonly NamedCall[] {
  const deepPage = Math.min(DEEP_PAGE, Math.floor(size / 40));
  const vodId = FIRST_SEEDED_VOD_ID + Math.floor(size / 3);
  return [
    ["dashboard stats", "/admin/dashboard/stats"],
    ["system metrics", "/admin/system/metrics"],
    ["uploads, first page", uploads("page=1")],
    ["uploads, page 5,000", uploads(`page=${deepPage}`)],
    ["uploads by name, page 5,000", uploads(`sortBy=filename&page=${deepPage}`)],
    ["uploads, failed", uploads("status=failed")],
    ["uploads, of one user", uploads("userId=9000000007")],
    ["uploads by name", uploads("sortBy=filename&sortOrder=asc")],
    ["uploads by broadcast", uploads("sortBy=recordedAt")],
    ["uploads at work", "/admin/uploads/work"],
    ["search: every row (.ts)", uploads("search=.ts")],
    ["search: a common word (speedrun)", uploads("search=speedrun")],
    ["search: one row (VOD id)", uploads(`search=${vodId}`)],
    ["search: nothing", uploads("search=no%20such%20thing")],
    ["search: one character (e)", uploads("search=e")],
    ["search: a rare character (Q)", uploads("search=Q")],
    ["search: two characters (sp)", uploads("search=sp")],
    ["search: two characters (zq), no match", uploads("search=zq")],
    ["failed, first page", "/admin/uploads/failed?page=1"],
    ["failed, deep page", `/admin/uploads/failed?page=${Math.floor(size / 600)}`],
    ["failed, one cause", "/admin/uploads/failed?failureClass=storage"],
    ["failed, search: common", "/admin/uploads/failed?search=source"],
    ["files, first page", files("page=1")],
    ["files, page 5,000", files(`page=${deepPage}`)],
    ["files by name", files("sortBy=name&sortOrder=asc")],
    ["files by size, orphaned", files("sortBy=size&status=orphaned")],
    ["files by user", files("sortBy=user&sortOrder=asc")],
    ["files, manual", files("uploadType=manual")],
    ["files by broadcast", files("sortBy=recorded")],
    ["files by length", files("sortBy=length&chunks=hidden")],
    ["files, of one user", files("userId=9000000007")],
    ["files, search: every row", files("search=vod")],
    ["files, search: one row", files(`search=${vodId}`)],
    ["files, search: two characters", files("search=qz")],
    ["file stats", "/admin/r2/stats"],
    ["users, first page", users("page=1")],
    ["users, administrators", users("isAdmin=true")],
    ["users, not banned", users("isBanned=false")],
    ["users, search: common", users("search=aurora")],
    ["users, search: an address", users("search=delta_moss7@example")],
    ["users, search: one character", users("search=x")],
    ["channels, first page", channels("page=1")],
    ["channels by danger, a hundred", channels("sortBy=dangerAt&sortOrder=asc&limit=100")],
    ["channels by last VOD", channels("sortBy=lastVodAt&sortOrder=desc&page=2")],
    ["channels by size", channels("sortBy=size&sortOrder=desc")],
    ["channels, in danger", channels("state=danger")],
    ["channels, in trouble", channels("state=trouble")],
    ["channels, search", channels("search=aurora")],
    ["one channel", "/admin/channels/9000000007"],
    ["VODs of a channel", vods("page=1")],
    ["VODs of a channel, wanted", vods("state=wanted&sortBy=dangerAt&sortOrder=asc")],
    ["VODs of a channel, search", vods("search=speedrun")],
    ["audit, first page", "/admin/audit?page=1"],
    ["audit, search", "/admin/audit?search=session"],
  ];
}

/**
 * Further calls of administrators: the middle and the end of lists, searches with filters and other
 * sort orders, their far pages, and matches that are all adjacent.
 */
export function involvedCalls(size: number): readonly NamedCall[] {
  const lastPage = Math.floor(size / 20);
  const deepPage = Math.floor(lastPage / 2);
  const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString();
  return [
    ["uploads, middle page", uploads(`page=${deepPage}`)],
    ["uploads, last page", uploads(`page=${lastPage}`)],
    [
      "uploads, completed, middle page",
      uploads(`status=completed&page=${Math.floor(deepPage * 0.9)}`),
    ],
    ["uploads by name, middle page", uploads(`sortBy=filename&page=${deepPage}`)],
    ["uploads by size, failed, page 30", uploads("sortBy=size&status=failed&page=30")],
    ["uploads by status, middle page", uploads(`sortBy=status&page=${deepPage}`)],
    ["search: every row, page 400", uploads("search=.ts&page=400")],
    ["search: common, by size, page 400", uploads("search=speedrun&sortBy=size&page=400")],
    ["search: two words (race coop)", uploads("search=race%20coop")],
    ["search: common + failed", uploads("search=speedrun&status=failed")],
    ["search: every row + a status without rows", uploads("search=.ts&status=processing")],
    ["search: two words + failed", uploads("search=race%20coop&status=failed")],
    ["search: common, by name", uploads("search=speedrun&sortBy=filename")],
    ["search: two words, by size", uploads("search=race%20coop&sortBy=size")],
    ["search: a name, by name, at the far end", uploads("search=aurora_&sortBy=filename")],
    ["search: common, of one user", uploads("search=speedrun&userId=9000000007")],
    [
      "search: common, of one user's failed",
      uploads("search=speedrun&userId=9000000007&status=failed"),
    ],
    ["failed, one cause, search", "/admin/uploads/failed?failureClass=storage&search=speedrun"],
    ["failed, search: an owner", "/admin/uploads/failed?search=aurora_basil"],
    ["files, middle page", files(`page=${Math.floor(deepPage * 0.8)}`)],
    ["files, search: common, by size", files("search=aurora&sortBy=size")],
    ["files, search: common, of one user", files("search=aurora&userId=9000000007")],
    ["files by user, partial", files("sortBy=user&status=partial")],
    ["files by user, middle page", files(`sortBy=user&page=${Math.floor(deepPage * 0.8)}`)],
    ["files, search: common, by user", files("search=aurora&sortBy=user")],
    ["files, search: a name, by user, far end", files("search=aurora_&sortBy=user")],
    [
      "files by broadcast, middle page",
      files(`sortBy=recorded&page=${Math.floor(deepPage * 0.8)}`),
    ],
    ["files by length, of one user", files("sortBy=length&userId=9000000007")],
    ["files by broadcast, since a month ago", files(`sortBy=recorded&recordedFrom=${monthAgo}`)],
    ["files, search + type", files("search=aurora&uploadType=manual")],
    ["files, search + status", files("search=aurora&status=orphaned")],
    ["users, middle page by name", users(`sortBy=displayName&page=${Math.ceil(size / 2_000)}`)],
    ["users, search: a name, by name, far end", users("search=aurora%20&sortBy=displayName")],
    ["users, search + administrators", users("search=aurora&isAdmin=true")],
  ];
}
