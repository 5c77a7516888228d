import type { Hono } from "hono";
import { AppError } from "../errors.ts";
import type { HttpEnv } from "./env.ts";

/** `PUT /{name}` takes any name: to look at such an address is to look at one that is unknown. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/:name"]);

/**
 * Answers 405 with `Allow` to every other method of the paths that are mounted so far (decisions, "Errors"). Called between groups of
 * routes, it also keeps a fixed path from being taken for a parameter of one that is mounted later. Paths of `onlyGet` refuse a HEAD.
 */
export function refuseOtherMethods(app: Hono<HttpEnv>, options: { readonly onlyGet?: ReadonlySet<string> } = {}): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) methods.set(path, (methods.get(path) ?? new Set()).add(method));
  for (const [path, known] of methods) {
    if (known.has("ALL")) continue;
    if (OPEN_PATHS.has(path)) {
      app.on(["POST", "PATCH", "DELETE"], path, () => {
        throw methodNotAllowed([...known, "OPTIONS"]);
      });
      continue;
    }
    const allowed = [...known, ...(known.has("GET") && !options.onlyGet?.has(path) ? ["HEAD"] : []), "OPTIONS"];
    app.all(path, () => {
      throw methodNotAllowed([...new Set(allowed)]);
    });
  }
}

export function methodNotAllowed(allowed: readonly string[]): AppError {
  return new AppError("METHOD_NOT_ALLOWED", `This address does not take that method. Use ${allowed.join(", ")}.`, {
    headers: { Allow: allowed.join(", ") },
  });
}
