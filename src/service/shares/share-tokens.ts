import type { ShareRow } from "../../db/tables/shares.ts";
import { newSecret, type Random } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import type { Actor } from "../accounts/actor.ts";

/** The secrets with which a sender without an account claims and deletes a share. */
export interface ShareTokens {
  /** The secrets to show; empty for an account, and after they have been shown. */
  readonly shown: { readonly claimToken?: string; readonly deletionToken?: string };
  readonly columns: Pick<ShareRow, "claim_hash" | "deletion_hash">;
}

/** The tokens of a share with an owner, and of a file that joins a share. */
export const NO_TOKENS: ShareTokens = { shown: {}, columns: { claim_hash: null, deletion_hash: null } };

/** Generates the tokens of an anonymous share; none for an account. */
export function newShareTokens(random: Random, actor: Actor): ShareTokens {
  if (actor.kind !== "anonymous") return NO_TOKENS;
  const claimToken = newSecret(random, "claim_");
  const deletionToken = newSecret(random, "del_");
  return {
    shown: { claimToken, deletionToken },
    columns: { claim_hash: hashToken(claimToken), deletion_hash: hashToken(deletionToken) },
  };
}
