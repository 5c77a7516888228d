import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { linkPage } from "../site/pasted-link.ts";
import { receiveAtRequestLink, removeByReceipt, showReceipt, showRequestLink } from "./link.ts";
import { actOnRequest, changeRequest, makeRequest, showRequestPage, showRequestsPage } from "./requests.ts";

/** Routes of requests for files, for their owners and at their links. */
export const requestRoutes: readonly Route[] = [
  ...linkPage("/r", "token", showRequestLink),
  post("/r/:token", "caller", receiveAtRequestLink),
  get("/r/:token/:shortId/:deletionToken", "request", showReceipt),
  post("/r/:token/:shortId/:deletionToken", "caller", removeByReceipt),
  get("/requests", "caller", showRequestsPage),
  post("/requests", "caller", makeRequest),
  get("/requests/:id", "caller", showRequestPage),
  post("/requests/:id", "caller", changeRequest),
  post("/requests/:id/:action", "caller", actOnRequest),
];
