import type { HttpContext } from "../../src/http/routing/env.ts";
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
export const toAccess = ({ share }: OpenView): ShareAccess => (share.unlock_hash === null ? OPEN_ACCESS : { kind: "locked" });
