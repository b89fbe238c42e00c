import { LIST_PARAMS, searchReader } from "#console/lib/search-params.ts";

/** `page` is the delivery log's. */
export const readNotificationsSearch = searchReader({ page: LIST_PARAMS.page });
