import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { readAllNotices, showNoticesPage } from "./notices.ts";
import { showUnsubscribePage, unsubscribeByLink } from "./unsubscribe.ts";

/** Notices of what has happened to an account's files, and the end of mails about it. */
export const noticesRoutes: readonly Route[] = [
  get("/notices", "caller", showNoticesPage),
  post("/notices", "caller", readAllNotices),
  get("/unsubscribe/:token", "request", showUnsubscribePage),
  post("/unsubscribe/:token", "request", unsubscribeByLink),
];
