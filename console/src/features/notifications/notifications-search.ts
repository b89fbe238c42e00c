import { readPage, type RawSearch } from "#console/lib/search-params.ts";

export type NotificationsSearch = {
  /** Of the delivery log. */
  readonly page?: number | undefined;
};

export function readNotificationsSearch(search: RawSearch): NotificationsSearch {
  return { page: readPage(search["page"]) };
}
