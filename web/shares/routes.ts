import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { askCloseShare, closeSharePage, extendShare, saveShareNotices, showDownloadsPage, showSharesPage } from "./shares.ts";

/** Routes of the pages with the shares of an account. */
export const sharesRoutes: readonly Route[] = [
  get("/shares", "caller", showSharesPage),
  post("/shares/extend", "caller", extendShare),
  get("/shares/:shortId/close", "caller", askCloseShare),
  post("/shares/:shortId/close", "caller", closeSharePage),
  get("/shares/:shortId/downloads", "caller", showDownloadsPage),
  post("/shares/:shortId/downloads", "caller", saveShareNotices),
];
