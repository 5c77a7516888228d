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

/**
 * Shares of the memory that a store may hold of direct uploads (request limits, "Direct uploads on S3"): as of the disk; one account leaves the
 * others half, one network two fifths, and one /64 the others of its /48 a quarter.
 */
const MEMORY_SHARES = { account: 0.5, network: 0.6, address: 0.75 } as const;

/** The groups that an upload's memory counts for, the widest first, by whose storage it uses. */
export function memoryGroups(quotaOwner: string): readonly SpaceGroup[] {
  const [guests, kind, network] = spaceGroups(quotaOwner);
  if (!guests || !kind || !network) return [{ name: quotaOwner, share: MEMORY_SHARES.account }];
  const address = network.name === quotaOwner ? [] : [{ name: quotaOwner, share: MEMORY_SHARES.address }];
  return [guests, kind, { ...network, share: MEMORY_SHARES.network }, ...address];
}

/** By blob, the uploads that can still be continued. */
export async function listOpenUploads(db: Db): Promise<ReadonlyMap<string, OpenUpload>> {
  const rows = await listOpenBlobs(db);
  return new Map(rows.map((row) => [row.blob_key, { groups: spaceGroups(row.quota_owner), lastByteAtMs: row.last_byte_at }]));
}
