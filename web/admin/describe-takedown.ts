import type { Output } from "../../src/service/contract.ts";
import { formatDate } from "../site/format.ts";
import type { PageContext } from "../site/page-context.ts";

type Blocks = Pick<Output<"takeDownReported">, "blocked" | "blockedLater" | "notBlocked">;

/** Describes the effect of a takedown. */
export function describeTakedown(page: PageContext, taken: Blocks & Pick<Output<"takeDownReported">, "bytesUntil">): string {
  const date = formatDate(Date.parse(taken.bytesUntil), page);
  return [page.texts.moderation.takenDown(date), ...describeBlocks(page, taken)].join(" ");
}

/** Describes the additions of a takedown to the blocklist, in sentences. */
export const describeBlocks = ({ texts: { moderation } }: PageContext, { blocked, blockedLater, notBlocked }: Blocks): string[] => [
  ...(blocked.length > 0 ? [moderation.blockedCount(blocked.length)] : []),
  ...(blockedLater.length > 0 ? [moderation.blockedLater(blockedLater.length)] : []),
  ...(notBlocked.length > 0 ? [moderation.notBlocked(notBlocked.length)] : []),
];
