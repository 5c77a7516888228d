import type { Generated, Selectable } from "kysely";

export interface ShareTable {
  short_id: string;
  kind: "file" | "shipment";
  owner_id: string | null;
  name: string;
  status: Generated<"active" | "expired" | "deleted" | "dmca_removed">;
  visibility: Generated<"unlisted" | "public">;
  direct: Generated<number>;
  retention: Generated<"ttl" | "forever">;
  expires_at: number | null;
  is_expiry_chosen: Generated<number>;
  /** Whether it was published or extended under its owner's Pro, so that it expires with the grace period after Pro at the latest. */
  ends_with_pro: Generated<number>;
  /** The chosen expiry if Pro ends earlier; null otherwise. */
  expires_at_before_cut: number | null;
  once: Generated<number>;
  max_downloads: number | null;
  unlock_hash: string | null;
  handoff_hash: string | null;
  handoff_message: string | null;
  /** A part of every signed URL. It rises when the credentials or the download limit change, which ends earlier URLs. */
  credentials_version: Generated<number>;
  price_cents: number | null;
  /** Whether people who have not bought it see the thumbnails of its images. */
  price_thumbnails: Generated<number>;
  redirect_to: string | null;
  created_at: number;
  title: string | null;
  message: string | null;
  /** The tokens of a share without an owner. The claim token stays after a claim, so that the claim can be repeated. */
  claim_hash: string | null;
  deletion_hash: string | null;
  /** The token that adds files to a shipment. */
  share_token_hash: string | null;
  share_token_expires_at: number | null;
  ended_at: number | null;
  /** Whether only its owner can open it, because its files were sent to a request and not shared. */
  is_private: Generated<number>;
  /** Whether its owner gets notices of its downloads and its end; null: the account's settings apply. */
  notify: number | null;
  /** The expiry that its owner was notified of. */
  expiry_noticed_for: number | null;
  /** The takedown that closed it; null if none did. */
  takedown_id: Generated<string | null>;
  /** The present alias, which links contain instead of the short ID; null without one. */
  alias: Generated<string | null>;
  /** Whether its owner has removed it from the list of ended shares. */
  is_off_list: Generated<number>;
}

/** An alias that was chosen once, whether it still leads to a share or not. */
export interface ShareAliasTable {
  /** The keyed hash of the alias. */
  digest: string;
  /** The alias and its share; both are null once it leads nowhere. */
  alias: string | null;
  short_id: string | null;
  /** The account that chose it and can use it again; null once that has been deleted. */
  owner_id: string | null;
  created_at: number;
}

export type ShareRow = Selectable<ShareTable>;
