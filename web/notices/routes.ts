import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { postNotices, showNotice, showNoticesPage } from "./notices.ts";
import { postUnsubscribe, showUnsubscribePage } from "./unsubscribe.ts";

/** Routes of the notices about an account's files, and of unsubscribing from mails. */
export const noticesRoutes: readonly Route[] = [
  get("/notices", "caller", showNoticesPage),
  post("/notices", "caller", postNotices),
  { ...get("/notices/:id", "caller", showNotice), refusesHead: true },
  get("/unsubscribe/:token", "request", showUnsubscribePage),
  post("/unsubscribe/:token", "request", postUnsubscribe),
];
