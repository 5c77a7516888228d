import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { readAllNotices, showNoticesPage } from "./notices.ts";
import { showUnsubscribePage, unsubscribeByLink } from "./unsubscribe.ts";

/** Routes of the notices about an account's files, and of unsubscribing from mails. */
export const noticesRoutes: readonly Route[] = [
  get("/notices", "caller", showNoticesPage),
  post("/notices", "caller", readAllNotices),
  get("/unsubscribe/:token", "request", showUnsubscribePage),
  post("/unsubscribe/:token", "request", unsubscribeByLink),
];
