import type { RateClass, Route } from "./env.ts";

type Row = (path: string, rate: RateClass, handle: Route["handle"]) => Route;

/** Functions that create rows of the table of routes. */
export const get: Row = (path, rate, handle) => ({ method: "GET", path, rate, handle });
export const post: Row = (path, rate, handle) => ({ method: "POST", path, rate, handle });
export const put: Row = (path, rate, handle) => ({ method: "PUT", path, rate, handle });
