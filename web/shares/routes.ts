import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import {
  postCloseShare,
  postExtension,
  postRemoveFromList,
  postShareAgain,
  postShareDownloads,
  showCloseSharePage,
  showDownloadsPage,
  showSharesPage,
} from "./shares.ts";

/** Routes of the pages with the shares of an account. */
export const sharesRoutes: readonly Route[] = [
  get("/shares", "caller", showSharesPage),
  post("/shares/extend", "caller", postExtension),
  get("/shares/:shortId/close", "caller", showCloseSharePage),
  post("/shares/:shortId/close", "caller", postCloseShare),
  post("/shares/:shortId/share-again", "caller", postShareAgain),
  post("/shares/:shortId/remove-from-list", "caller", postRemoveFromList),
  get("/shares/:shortId/downloads", "caller", showDownloadsPage),
  post("/shares/:shortId/downloads", "caller", postShareDownloads),
];
