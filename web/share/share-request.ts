import type { HttpContext } from "../../src/http/routing/env.ts";
import { unlockKind } from "../../src/service/shares/share-password.ts";
import { type ShareView, viewShare } from "../../src/service/shares/view-share.ts";
import { type ListRequest, readListRequest } from "./file-listing.ts";
import type { ShareAccess } from "./share-page-props.ts";
import type { OpenView } from "./to-share-page.ts";

/** Reads the share of the page for the signed-in account. */
export const readShareView = (c: HttpContext): Promise<ShareView> =>
  viewShare(c.env.ctx, c.req.param("shortId") ?? "", c.env.person?.actor.userId ?? null);

/** Reads the requested part of the list of files from the URL. */
export const readListQuery = (c: HttpContext): ListRequest => readListRequest(new URLSearchParams(c.env.url.search));

export const OPEN_ACCESS: ShareAccess = { kind: "open" };

/** Returns the access of a recipient who has sent neither a code nor a token. */
export const toAccess = (view: OpenView): ShareAccess => (view.share.unlock_hash === null ? OPEN_ACCESS : toLockedAccess(view));

/** Returns the access of a recipient of a protected share who has a token. */
export const toUnlockedAccess = (
  { share }: Pick<OpenView, "share">,
  field: Extract<ShareAccess, { kind: "unlocked" }>["field"],
  token: string,
) => ({ kind: "unlocked", isPassword: unlockKind(share) === "password", field, token }) as const;

/** Returns the access of a recipient of a protected share, before the first try. */
export const toLockedAccess = ({ share }: OpenView) => ({ kind: "locked", isPassword: unlockKind(share) === "password" }) as const;
