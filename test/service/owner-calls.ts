import type { RequestContext } from "../../src/context.ts";
import type { UserActor } from "../../src/service/accounts/actor.ts";

/** Returns a free account as an actor with all rights, in neither a session nor with a key. */
const toUserActor = (userId: string): UserActor => ({
  kind: "user",
  tier: "free",
  quotaOwner: `user:${userId}`,
  userId,
  username: null,
  scope: "full",
  keyId: null,
  sessionId: null,
  isAgent: false,
});

/** Makes a call of a free account with all rights. */
export const callOf = (userId: string): RequestContext => ({
  actor: toUserActor(userId),
  address: "192.0.2.7",
  channel: "api",
  userAgent: "",
});
