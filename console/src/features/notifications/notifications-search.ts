import { readPage, type RawSearch } from "#console/lib/search-params.ts";

export type NotificationsSearch = {
  /** Page of the delivery log. */
  readonly page?: number | undefined;
};

export function readNotificationsSearch(search: RawSearch): NotificationsSearch {
  return { page: readPage(search["page"]) };
}
