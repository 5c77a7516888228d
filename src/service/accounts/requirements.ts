import type { Ctx, RequestContext } from "../../context.ts";
import type { OperationDefinition } from "../../contract/operation.ts";
import { requireUser, requireVerified, type UserActor } from "./actor.ts";
import { requireProof } from "./proof.ts";

/**
 * The calling account, if it meets what the definition of an operation requires of it. Operations check this, and so does the repetition of
 * their responses. Throws UNAUTHENTICATED, FORBIDDEN while the address is not verified, PROOF_REQUIRED.
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
