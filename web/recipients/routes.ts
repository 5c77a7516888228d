import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { postBlocking, showBlockingPage } from "./block.ts";
import { postOpened } from "./opened.ts";

/** Routes of people to whom shares are sent by mail. */
export const recipientRoutes: readonly Route[] = [
  post("/h/:token/opened", "request", postOpened),
  get("/block/:token", "request", showBlockingPage),
  post("/block/:token", "request", postBlocking),
];
