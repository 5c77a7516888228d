import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { linkRoutes, withPastedLinks } from "../site/link-routes.ts";
import { postReceipt, postRequestLink, showReceiptPage, showRequestLinkPage } from "./link.ts";
import { postNewRequest, postRequest, postRequestAction, showRequestPage, showRequestsPage } from "./requests.ts";

/** Routes of requests for files, for their owners and at their links. */
export const requestRoutes: readonly Route[] = withPastedLinks(
  ["/r"],
  [
    ...linkRoutes("/r/:token", showRequestLinkPage),
    post("/r/:token", "caller", postRequestLink),
    get("/r/:token/:shortId/:deletionToken", "request", showReceiptPage),
    post("/r/:token/:shortId/:deletionToken", "caller", postReceipt),
    get("/requests", "caller", showRequestsPage),
    post("/requests", "caller", postNewRequest),
    get("/requests/:id", "caller", showRequestPage),
    post("/requests/:id", "caller", postRequest),
    post("/requests/:id/:action", "caller", postRequestAction),
  ],
);
