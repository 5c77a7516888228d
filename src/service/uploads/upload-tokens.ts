import type { FileRow } from "../../db/tables/files.ts";
import { newSecret, type Random } from "../../lib/ids.ts";
import { hashToken } from "../../lib/secrets.ts";
import type { Actor } from "../accounts/actor.ts";
import type { OneTimeTokens } from "../files/file-view.ts";

/** The secrets by which an uploader without an account claims and deletes a file. */
export interface UploadTokens {
  /** The secrets to show; empty for an account, and if they have been shown before. */
  readonly shown: Pick<OneTimeTokens, "claimToken" | "deletionToken">;
  readonly columns: Pick<FileRow, "claim_hash" | "deletion_hash">;
}

const NO_TOKENS: UploadTokens = { shown: {}, columns: { claim_hash: null, deletion_hash: null } };

/** Generates the tokens of an upload; none for an account. */
export function newUploadTokens(random: Random, actor: Actor): UploadTokens {
  if (actor.kind !== "anonymous") return NO_TOKENS;
  const claimToken = newSecret(random, "claim_");
  const deletionToken = newSecret(random, "del_");
  return {
    shown: { claimToken, deletionToken },
    columns: { claim_hash: hashToken(claimToken), deletion_hash: hashToken(deletionToken) },
  };
}
