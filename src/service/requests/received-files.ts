import { requireUser } from "../accounts/actor.ts";
import { toFileItems } from "../files/file-view.ts";
import { listFilesOfRequest } from "../files/listing-queries.ts";
import type { Operation } from "../operation.ts";
import { findSubmissions, getOwnRequest } from "./queries.ts";
import { toRequestView } from "./request-state.ts";

/** Maximum number of files in one response. */
const MAX_FILES = 1_000;

/** `GET /requests/{id}`: returns a request with the files that it received, by sender. */
export const getRequest: Operation<"getRequest"> = async (ctx, { actor }, { id }) => {
  const ownerId = requireUser(actor).userId;
  const request = await getOwnRequest(ctx.db, { id, ownerId });
  const listed = await listFilesOfRequest(ctx.db, { ownerId, requestId: id }, MAX_FILES);
  const bySubmission = Map.groupBy(listed, ({ file }) => file.submission_id);
  const ids = [...bySubmission.keys()].filter((id) => id !== null);
  const itemOf = new Map((await toFileItems(ctx, listed)).map((item) => [item.id, item]));
  const submissions = (await findSubmissions(ctx.db, ids)).map(({ id, sender_name, sender_note, created_at }) => {
    const items = (bySubmission.get(id) ?? []).flatMap(({ file }) => itemOf.get(file.id) ?? []).reverse();
    return { senderName: sender_name, senderNote: sender_note, createdAt: new Date(created_at).toISOString(), files: items };
  });
  return { ...toRequestView(ctx, request), submissions };
};
