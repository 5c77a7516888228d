import type { OpenUpload, SpaceGroup } from "../../blobs/store.ts";
import type { Db } from "../../db/database.ts";
import { listOpenBlobs } from "../../db/upload-sessions.ts";
import { AGENT_QUOTA_PREFIX, ANONYMOUS_QUOTA_PREFIX, wideQuotaPrefix } from "../../domain/actor.ts";

/**
 * Shares of the free disk that uploads may be promised (docs/interface/disk-space.md): callers without a person's account leave a fifth to
 * those with one, callers without a key and agents leave each other a quarter of the rest, and one network leaves the others three fifths of that.
 */
const SHARES = { guests: 0.8, kind: 0.75, network: 0.4 } as const;

/** The groups that an upload's bytes count for, the widest first, by whose storage it uses; none for a person's account. */
export function spaceGroups(quotaOwner: string): readonly SpaceGroup[] {
  const kind = [ANONYMOUS_QUOTA_PREFIX, AGENT_QUOTA_PREFIX].find((prefix) => quotaOwner.startsWith(prefix));
  if (kind === undefined) return [];
  return [
    { name: "guests", share: SHARES.guests },
    { name: kind, share: SHARES.kind },
    { name: wideQuotaPrefix(quotaOwner) ?? quotaOwner, share: SHARES.network },
  ];
}

/** By blob, the uploads that can still be continued. */
export async function listOpenUploads(db: Db): Promise<ReadonlyMap<string, OpenUpload>> {
  const rows = await listOpenBlobs(db);
  return new Map(rows.map((row) => [row.blob_key, { groups: spaceGroups(row.quota_owner), lastByteAtMs: row.last_byte_at }]));
}
