import type { Ctx, RequestContext } from "../../context.ts";
import type { OperationDefinition } from "../../contract/operation.ts";
import { requireUser, requireVerified, type UserActor } from "./actor.ts";
import { requireProof } from "./proof-of-identity.ts";

/**
 * Returns the calling account if it meets the requirements in the operation's definition. Throws UNAUTHENTICATED, FORBIDDEN while the address is not
 * verified, or PROOF_REQUIRED; a replayed response is checked in the same way.
 */
export function requireAsDefined(
  ctx: Pick<Ctx, "now">,
  call: Pick<RequestContext, "actor">,
  { requires }: Pick<OperationDefinition, "requires">,
): UserActor {
  const user = requires?.includes("verified") ? requireVerified(call.actor) : requireUser(call.actor);
  if (requires?.includes("proof")) requireProof(ctx, call, { allowsKeys: true });
  return user;
}
