import type { Actor, UserActor } from "../domain/actor.ts";
import { AppError } from "../errors.ts";

/** The account that calls. Throws UNAUTHENTICATED for an anonymous caller. */
export function requireUser(actor: Actor): UserActor {
  if (actor.kind === "user") return actor;
  throw new AppError("UNAUTHENTICATED", "This needs an API key. Send one as `Authorization: Bearer <key>`.");
}
